// HTTP servers of the services: error handler, limits, origins, health, metrics, log and life cycle.

export { answerError, resolveAnswer } from './http/errors/error-handler.js';
export {
  ApiKeyInvalid,
  CaptchaInvalid,
  CaptchaRequired,
  type CodedErrorClass,
  defineError,
  detailsOf,
  type FieldMessage,
  LoginThrottled,
  NotFound,
  OriginRefused,
  Overloaded,
  PowInvalid,
  RateLimited,
  refuse,
  SessionRevoked,
  StoreUnavailable,
  TokenInvalid,
  ValidationFailed,
} from './http/errors/errors.js';
export { answerClientError } from './http/errors/send-error.js';
export { fieldsOf } from './http/errors/validation-fields.js';
export type { HealthState } from './http/observability/health.js';
export { type LogOutput, openStandardOutput } from './http/observability/log-output.js';
export { createLogger } from './http/observability/logger.js';
export {
  createMetrics,
  createRequestObservers,
  type Metrics,
  metricsRoute,
  type RequestObserver,
} from './http/observability/metrics.js';
export {
  addClockOffsets,
  createAuditCounters,
  createChallengeObservers,
  createStoreObservers,
  createWorkCounter,
  refusalReason,
  suspiciousRefusal,
  type WorkCounter,
} from './http/observability/service-metrics.js';
export { answerLimitOf, default as answerLimit } from './http/server/answer-limit.js';
export type { OriginRule } from './http/server/cross-origin.js';
export {
  type RunningService,
  runService,
  type Service,
  startOrExplain,
  startService,
} from './http/server/lifecycle.js';
export { headOf } from './http/server/methods.js';
export { originAllowed, originCheck, pageOrigin, requestSource } from './http/server/origin-check.js';
export {
  type Count,
  createProcessCounter,
  limitTo,
  type RequestLimiter,
} from './http/server/rate-limit.js';
export {
  appendVary,
  hasCurrent,
  TEST_MODE_HEADERS,
} from './http/server/responses.js';
export { type AdminOptions, buildAdminApp, buildPublicApp } from './http/server/service-apps.js';
