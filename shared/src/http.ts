// HTTP servers of the services: error handler, limits, origins, health, metrics, log and life cycle.

export { answerError, default as errorHandler, resolveAnswer } from './http/errors/error-handler.js';
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
export { type HealthState, servingRoute } from './http/observability/health.js';
export { type LogOutput, openStandardOutput } from './http/observability/log-output.js';
export { createLogger } from './http/observability/logger.js';
export {
  createMetrics,
  createRequestObservers,
  type Metrics,
  metricsRoute,
  type RequestObserver,
  requestMetrics,
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
export { type AdminOptions, buildAdminApp } from './http/server/admin-app.js';
export { answerLimitOf, default as answerLimit } from './http/server/answer-limit.js';
export { default as crossOrigin, type OriginRule } from './http/server/cross-origin.js';
export { default as jsonBodies } from './http/server/json-bodies.js';
export {
  type RunningService,
  runService,
  type Service,
  startOrExplain,
  startService,
} from './http/server/lifecycle.js';
export { default as methods, headOf } from './http/server/methods.js';
export { default as openapi } from './http/server/openapi.js';
export { originAllowed, originCheck, pageOrigin, requestSource } from './http/server/origin-check.js';
export {
  byAddress,
  type Count,
  createProcessCounter,
  default as rateLimit,
  limitTo,
  type RequestLimiter,
} from './http/server/rate-limit.js';
export { default as redisClients } from './http/server/redis-clients.js';
export {
  appendVary,
  hasCurrent,
  responseHeaders,
  TEST_MODE_HEADERS,
  writeTimeout,
} from './http/server/responses.js';
export { forwardedHeaders, serverOptions } from './http/server/server-options.js';
