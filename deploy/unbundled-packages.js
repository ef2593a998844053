// The packages that stay beside the bundles: they load native code, or start workers from files of their own.
export const unbundledPackages = [
  '@napi-rs/canvas',
  '@node-rs/argon2',
  '@node-rs/bcrypt',
  '@photostructure/sqlite',
  'canvas',
  'piscina',
];
