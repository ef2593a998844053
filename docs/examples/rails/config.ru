# The application around the controller: in yours, config/application.rb and config/routes.rb.
require "rails"
require "action_controller/railtie"

class ContactApplication < Rails::Application
  config.root = __dir__
  config.load_defaults 6.1
  config.eager_load = true
  config.secret_key_base = ENV.fetch("SECRET_KEY_BASE")
  config.logger = Logger.new($stderr, level: Logger::ERROR)

  routes.append do
    get "/contact", to: "contacts#new"
    post "/contact", to: "contacts#create"
  end
end

Rails.application.initialize!
run Rails.application
