// The errors that only the challenge service answers with.

import { defineError } from '@tollgate/shared/http/errors/errors.js';

/** The query names a preset that does not exist. */
export const UnknownPreset = defineError('UNKNOWN_PRESET', 422);

/** Neither image library loads; everything but drawing works. */
export const NoImageLibrary = defineError('NO_IMAGE_LIBRARY', 500);

/** This node does not have the image library, at the version, or the preset, that the image was issued with. */
export const ImageUnavailable = defineError('IMAGE_UNAVAILABLE', 503);

/** The bearer of the host API is missing or none of the configured keys. */
export const HostKeyInvalid = defineError('HOST_KEY_INVALID', 401);
