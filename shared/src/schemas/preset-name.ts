// The form of the names of kinds and presets.

/** 1 to 32 letters, digits, `_` or `-`, a letter first. */
export const NAME_PATTERN = '^[A-Za-z][A-Za-z0-9_-]{0,31}$';
