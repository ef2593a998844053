// The errors that only the challenge service answers with.

import { defineError } from '@tollgate/shared/http/define-error.js';

/** The query names a preset that does not exist. */
export const UnknownPreset = defineError('UNKNOWN_PRESET', 422);

/** Neither image library loads; everything but drawing works. */
export const NoImageLibrary = defineError('NO_IMAGE_LIBRARY', 500);

/** This node does not have the image library, at the version, that the image was issued with. */
export const ImageUnavailable = defineError('IMAGE_UNAVAILABLE', 503);
