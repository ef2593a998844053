require "net/http"

# Verifies forms with Tollgate's host API.
module Tollgate
  FIELDS = %w[pow_token pow_nonce captcha_token captcha].freeze
  UNAVAILABLE = { "message" => "Please try again shortly." }.freeze

  private

  # Returns the status, 200, 422 or 503, and the verdict: `message` and `pow_scope` are for the next page.
  def tollgate_verdict
    submission = request.request_parameters.slice(*FIELDS).select { |_, value| value.is_a?(String) && value.size <= 2048 }
    uri = URI("#{ENV.fetch('HOST_API_URL', 'http://127.0.0.1:9002')}/host/verify")
    headers = {
      "Authorization" => "Bearer #{ENV.fetch('HOST_API_KEY')}",
      "Content-Type" => "application/json",
      "Accept-Language" => request.headers["Accept-Language"] || "en"
    }
    limits = { use_ssl: uri.scheme == "https", open_timeout: 2, read_timeout: 5 }
    response = Net::HTTP.start(uri.host, uri.port, **limits) do |http|
      http.post(uri.path, { submission: submission, ip: request.remote_ip }.to_json, headers)
    end
    raise IOError, "status #{response.code}" unless response.code == "200"

    verdict = JSON.parse(response.body)
    return [200, {}] if verdict.fetch("success") == true

    [422, { "message" => verdict.fetch("message"), "pow_scope" => verdict["pow_scope"] }]
  rescue SystemCallError, IOError, SocketError, OpenSSL::SSL::SSLError, Timeout::Error, Net::ProtocolError,
         Net::HTTPBadResponse, JSON::ParserError, KeyError, TypeError => e
    logger.error("Tollgate: #{e.message}")
    [503, UNAVAILABLE]
  end
end
