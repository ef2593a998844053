// The errors that only the challenge service returns.

import { defineError } from '@tollgate/shared/http/errors/errors.js';

/** The query names a preset that does not exist. */
export const UnknownPreset = defineError('UNKNOWN_PRESET', 422);

/** Neither image library loads. Everything except drawing works. */
export const NoImageLibrary = defineError('NO_IMAGE_LIBRARY', 500);

/** This node lacks the image library, its version or the preset that the image was issued with. */
export const ImageUnavailable = defineError('IMAGE_UNAVAILABLE', 503);

/** The page is not of a host name that the site lists. */
export const HostnameNotAllowed = defineError('HOSTNAME_NOT_ALLOWED', 403);

/** The bearer token of a call to the host API is missing, or is none of the configured keys. */
export const HostKeyInvalid = defineError('HOST_KEY_INVALID', 401);

/** The gate stands before this address, and the request has no valid pass. */
export const GatePassRequired = defineError('GATE_PASS_REQUIRED', 403);

/** The request may come from a listed robot, but its address could not be looked up. */
export const GateNotLookedUp = defineError('GATE_NOT_LOOKED_UP', 503);

/** A rule of the gate refuses the request, with a pass too. */
export const GateRefused = defineError('GATE_REFUSED', 403);

/** The gate stands before no site of this host. */
export const GateSiteUnknown = defineError('GATE_SITE_UNKNOWN', 403);
