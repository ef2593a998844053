// The fast tests, by folder: without browsers, store servers or processes of our own.

/** Globs of the compiled test files that run on every supported Node line, from the project's root. */
export const testsOfEveryNode = [
  'shared/dist/test/{config,crypto,messages,pow}/*.test.js',
  'shared/dist/test/http/errors/language.test.js',
  'shared/dist/test/http/server/{cross-origin,response-headers}.test.js',
  'shared/dist/test/http/tokens/tokens.test.js',
  'shared/dist/test/store/{configured-store,private-file,store-url}.test.js',
  'services/*/dist/test/domain/*.test.js',
  'services/challenge-service/dist/test/image/{derivation,draw}.test.js',
  'services/challenge-service/dist/test/presets/{preset,presets}.test.js',
  'services/challenge-service/dist/test/renderer/driver.test.js',
  'services/session-service/dist/test/directory/embedded-directory.test.js',
  'services/session-service/dist/test/passwords/password-hash.test.js',
  'packages/client/dist/test/solver/{kernels,solver}.test.js',
];

/** The files of `npm run test:fast`: all but tokens-fuzz, whose million tokens take as long as half of them. */
export const fastTests = [
  ...testsOfEveryNode,
  'packages/client/dist/test/{challenge,element,session}/size.test.js',
  'packages/client/dist/test/element/texts.test.js',
  'packages/client/dist/test/session/{answers,bearer-fetch,hint,login-logout,properties,refresh-call,refresh-schedule,tabs}.test.js',
  'packages/client/dist/test/session/concurrency.test.js',
  'tests/dist/compose.test.js',
  'tests/dist/docs/{node-lines,pages,presets,wire-bodies}.test.js',
  'tests/dist/gateway/{challenge-names,gateway}.test.js',
  'tests/dist/launcher/{local-environment,readiness,secrets,terminal-log}.test.js',
  'services/*/dist/test/{cross-origin,write-timeout}.test.js',
  'services/challenge-service/dist/test/{custom-types,image-setup}.test.js',
  'services/challenge-service/dist/test/renderer/{custom-renderer,image-pool}.test.js',
  'services/session-service/dist/test/config/{api-key,users}.test.js',
  'services/session-service/dist/test/directory/{module-directory,users-url}.test.js',
  'services/session-service/dist/test/passwords/{dummy-hash,hashing-queue,sign-in}.test.js',
  'shared/dist/test/audit/flood-gate.test.js',
  'shared/dist/test/cache/lru-cache.test.js',
  'shared/dist/test/challenges/attempts/{account-key,pseudonyms}.test.js',
  'shared/dist/test/challenges/store/records.test.js',
  'shared/dist/test/challenges/types/challenge-types.test.js',
  'shared/dist/test/http/errors/error-handler.test.js',
  'shared/dist/test/http/observability/{health,logger}.test.js',
  'shared/dist/test/http/server/{openapi,origin-check,rate-limit,server-options}.test.js',
  'shared/dist/test/http/tokens/token-cache.test.js',
  'shared/dist/test/sessions/revoked-ids.test.js',
];
