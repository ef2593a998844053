// The errors that only the challenge service returns.

import { defineError } from '@tollgate/shared/http';

/** The query names an unknown preset. */
export const UnknownPreset = defineError('UNKNOWN_PRESET', 422);

/** No image library loads; everything except drawing works. */
export const NoImageLibrary = defineError('NO_IMAGE_LIBRARY', 500);

/** This process lacks the library, version or preset of the image. */
export const ImageUnavailable = defineError('IMAGE_UNAVAILABLE', 503);

/** Missing or wrong host API key. */
export const HostKeyInvalid = defineError('HOST_KEY_INVALID', 401);
