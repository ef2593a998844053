// Schemas of bodies, claims, options and audit events, with their types.

export { type AuditEntry, AuditEvents, type AuditLine, auditNamesOf } from './schemas/audit-events.js';
export { AUDIT_VERSION } from './schemas/audit-fields.js';
export { canonicalJson } from './schemas/canonical-json.js';
export {
  CaptchaOptions,
  type CaptchaOptionsInput,
  resolveCaptchaOptions,
} from './schemas/captcha-options.js';
export {
  challengeFields,
  EffortChallenge,
  HashwxChallenge,
  HashwxEffortChallenge,
  ImageChallenge,
  ImageQuery,
  KindChallenge,
  PowChallenge,
  PowQuery,
} from './schemas/challenge-bodies.js';
export { ConfigurationError } from './schemas/configuration-error.js';
export { DeviceClaims, MAX_DEVICE_TTL_SECONDS } from './schemas/device-claims.js';
export { ErrorBody } from './schemas/error-body.js';
export { expectationOf } from './schemas/expectation.js';
export {
  HostClearBody,
  HostFailure,
  HostFailureBody,
  HostVerdict,
  HostVerifyBody,
  hostVerifyBody,
} from './schemas/host-bodies.js';
export { isoTime } from './schemas/iso-time.js';
export {
  APPLICATION_NAME_FORM,
  isApplicationName,
  NAME_PATTERN,
  TOKEN_CHARACTERS,
  TOKEN_PATTERN,
} from './schemas/names.js';
export { leavesOf, optionsFrom, strangersIn, valueAt } from './schemas/option-tree.js';
export {
  BrowserSessionBody,
  BrowserSessionEnd,
  EMAIL_CHARACTERS,
  IntrospectionAnswer,
  IntrospectionForm,
  LoginBody,
  LoginCodeBody,
  MAX_PASSWORD_BYTES,
  MIN_PASSWORD_CHARACTERS,
  NewPasswordBody,
  PasswordChangeBody,
  ProfileBody,
  ReauthenticationBody,
  ReauthenticationCodeBody,
  SessionEntry,
  SessionsBody,
  SignInCodeBody,
  SignInCodeRequest,
  TokenBody,
} from './schemas/session-bodies.js';
export {
  AccessClaims,
  AuthenticationClaims,
  RefreshClaims,
  SessionId,
  type TokenReading,
} from './schemas/token-claims.js';
export {
  fitsTokens,
  MAX_CLAIMS_BYTES,
  MAX_USER_BYTES,
  readUserClaims,
  UserClaims,
} from './schemas/user-claims.js';
export { isUserId, readUserId, USER_ID_WORDS, UserId, UserIdText } from './schemas/user-id.js';
