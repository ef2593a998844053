// The errors that only the challenge service returns.

import { defineError } from '@tollgate/shared/http/errors/errors.js';

/** The query names an unknown preset. */
export const UnknownPreset = defineError('UNKNOWN_PRESET', 422);

/** No image library loads; everything except drawing works. */
export const NoImageLibrary = defineError('NO_IMAGE_LIBRARY', 500);

/** This node lacks the library, version or preset of the image. */
export const ImageUnavailable = defineError('IMAGE_UNAVAILABLE', 503);

/** The site does not list the host name of the page. */
export const HostnameNotAllowed = defineError('HOSTNAME_NOT_ALLOWED', 403);

/** Missing or wrong host key. */
export const HostKeyInvalid = defineError('HOST_KEY_INVALID', 401);

/** The gate requires a valid pass. */
export const GatePassRequired = defineError('GATE_PASS_REQUIRED', 403);

/** The address of a possible robot could not be looked up. */
export const GateNotLookedUp = defineError('GATE_NOT_LOOKED_UP', 503);

/** A gate rule rejects the request, even with a pass. */
export const GateRefused = defineError('GATE_REFUSED', 403);

/** No gated site is configured for this host. */
export const GateSiteUnknown = defineError('GATE_SITE_UNKNOWN', 403);
