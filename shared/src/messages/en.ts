// English texts; their keys are the keys of every other language.

/** One text for each error code on the wire, then those for single fields. `{name}` is a parameter. */
export const en = {
  validation_failed: 'Some of the data is missing or wrong.',
  malformed_json: 'The request does not contain valid JSON.',
  unsupported_media_type: 'This kind of content is not accepted here.',
  body_too_large: 'The request is too large.',
  not_found: 'There is nothing here.',
  bad_request: 'The request cannot be understood.',
  rate_limited: 'Too many requests. Please wait a moment.',
  store_unavailable: 'The service is out of order for a moment. Please try again shortly.',
  overloaded: 'The service is very busy. Please try again shortly.',
  origin_refused: 'Requests from this site are not accepted.',
  internal_error: 'Something went wrong on our side.',
  host_key_invalid: 'The key of the host is missing or wrong.',
  api_key_invalid: 'The API key is missing or wrong.',

  pow_invalid: 'The security check has failed. Please try again.',
  pow_insufficient: 'The security check must be repeated. This may take a moment.',
  captcha_invalid: 'The additional check has failed. Please try again with a new one.',
  captcha_required: 'Please also complete the additional check.',
  preset_refused: 'Please complete the additional check that this form asks for.',
  unknown_preset: 'There is no challenge of this name.',
  no_image_library: 'Images cannot be drawn at present.',
  image_unavailable: 'This image cannot be drawn here at present. Please ask for a new one.',

  login_failed: 'The email address or the password is wrong.',
  login_throttled: 'Too many failed attempts. Please wait before you try again.',
  code_invalid: 'This sign-in is no longer valid. Please sign in again.',
  unknown_user: 'There is no such user.',
  user_disabled: 'This user is disabled.',
  directory_read_only: 'Passwords cannot be changed here.',
  password_conflict: 'The password was changed in the meantime. Please try again.',
  token_invalid: 'Please sign in.',
  session_expired: 'Your session has expired. Please sign in again.',
  session_revoked: 'Your session has been ended. Please sign in again.',
  binding_required: 'Your browser has not shown that this session is its own. Please sign in again.',
  registration_invalid: 'The registration of the browser is not valid.',
  signature_required: 'The browser must sign a challenge.',
  binding_conflict: 'This session is bound to another key.',
  insufficient_user_authentication: 'Please confirm that it is you.',
  cookie_conflict: 'Your browser sent two different sessions. Please sign in again.',

  required: 'This field is required.',
  type: 'This value is of the wrong type.',
  too_short: 'This value is too short (minimum length: {limit}).',
  too_long: 'This value is too long (maximum length: {limit}).',
  out_of_range: 'This value is outside the allowed range.',
  malformed: 'This value has the wrong format.',
  unknown_field: 'This field is not known.',
  wrong_answer: 'The answer to the additional check is not right.',
  wrong_work: 'The security check was not solved.',
  insufficient_work: 'The security check was too easy for this account.',
  work_too_easy: 'The security check was too easy for this form.',
  wrong_algorithm: 'The security check was not done in a way that this form accepts.',
  wrong_origin: 'Pages of this origin cannot use the service.',
  wrong_preset: 'This is not the additional check that this form asks for.',

  send_again: 'Please go back in your browser and send the form again.',
};

/** The name of a text. */
export type MessageKey = keyof typeof en;
