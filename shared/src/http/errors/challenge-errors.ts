// The errors that a submission with challenges is refused with, in every host.

import { defineError } from './define-error.js';

/** The proof of work is missing, malformed, wrong or spent. */
export const PowInvalid = defineError('POW_INVALID', 422);

/** The work is right, but cheaper than the account demands by now: the client repeats with better work. */
export const PowInsufficient = defineError('POW_INSUFFICIENT', 422);

/** The answer to the image is malformed, wrong, too fast or spent. */
export const CaptchaInvalid = defineError('CAPTCHA_INVALID', 422);

/** The image is of a preset that this form does not accept. */
export const PresetRefused = defineError('PRESET_REFUSED', 422);

/** An image is demanded and none was answered. */
export const CaptchaRequired = defineError('CAPTCHA_REQUIRED', 422);

/** This account has to wait at this address; `Retry-After` says how long. */
export const LoginThrottled = defineError('LOGIN_THROTTLED', 429);
