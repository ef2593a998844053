// Configuration: reading the environment with all its mistakes at once, and the variables of both services.

export { parseAddressRange } from './config/address-range.js';
export {
  type ApplicationKey,
  applicationKeysFrom,
  applicationNameMistake,
  checkApplicationKeys,
  GATE_APPLICATION,
  SESSION_APPLICATION,
} from './config/application-keys.js';
export {
  captchaOptionsFrom,
  captchaVariables,
  checkCaptchaVariables,
  unknownCaptchaVariables,
  variableOf,
} from './config/captcha-environment.js';
export {
  auditDaysWarning,
  checkCorsOrigin,
  checkHttp,
  checkPublicUrl,
  checkStores,
  checkTestMode,
  plainHttpWarning,
} from './config/checks.js';
export { CommandError, isProgram, runCommand, UsageError, usageErrorOf } from './config/command-line.js';
export { ConfigurationError, readEnvironment } from './config/environment.js';
export { cacheStoreUrlOf, cacheStoreVariableOf, corsOriginOf, storeUrlOf } from './config/fallbacks.js';
export { checkAddressRanges, RangeVariables } from './config/limit-ranges.js';
export { importModule } from './config/load-module.js';
export { fileVariableOf, secretVariablesOf, withSecretsFromFiles } from './config/secret-files.js';
export { checkSecrets, isWeakSecret, WEAK_SECRET, weakSecrets } from './config/secrets.js';
export { readSecretsFile, replaceSecretsFile, secretsPathOf } from './config/secrets-file.js';
export { isLoopbackHost, isLoopbackHttp, reachableHost } from './config/sites.js';
export { isThisMachineOnly, withChallengeSecret, withPortAndAddress } from './config/this-machine.js';
export {
  checkTokenFormat,
  PublicTokenVariables,
  publicTokenNames,
  TokenFormatVariables,
} from './config/token-formats.js';
export { unknownVariables } from './config/unknown-variables.js';
export {
  CHALLENGE_PORT,
  ChallengeLimitVariables,
  ChallengeListenVariables,
  ChallengeModuleVariables,
  DeviceVariables,
  HostApiVariables,
  HttpVariables,
  PresetVariables,
  SESSION_PORT,
  SecretVariables,
  SessionLimitVariables,
  SessionListenVariables,
  StoreVariables,
} from './config/variables.js';
