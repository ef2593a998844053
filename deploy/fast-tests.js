// The fast tests: those that need no browser, no server of a store and no other process of ours, by their folders.

/** Globs of compiled test files, from the project's root. */
export const fastTests = [
  'shared/dist/test/{config,crypto,messages,pow}/*.test.js',
  'shared/dist/test/http/{cross-origin,language,response-headers,tokens}.test.js',
  'shared/dist/test/store/{configured-store,private-file,store-url}.test.js',
  'services/*/dist/test/domain/*.test.js',
  'services/challenge-service/dist/test/image/{derivation,draw,driver,preset}.test.js',
  'services/session-service/dist/test/directory/embedded-directory.test.js',
  'services/session-service/dist/test/passwords/password-hash.test.js',
  'client/dist/test/solver/{kernels,solver}.test.js',
];
