class ContactsController < ActionController::Base
  include Tollgate

  def new
    @verdict = {}
  end

  def create
    @text = params[:text].to_s.strip
    # Your own rules first: a form that they reject costs no challenge.
    status, @verdict = @text.size < 10 ? [422, { "message" => "Please write at least ten characters." }] : tollgate_verdict
    return render :new, status: status unless status == 200

    # Keep the message here.
    render plain: "Thank you."
  end
end
