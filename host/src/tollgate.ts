// The entry of the package: guards for the forms and the protected routes of a Fastify application.

// These imports add the decorators of the server and the request to the types of the application.
import '@tollgate/shared/http/guard/challenge-guard.js';
import '@tollgate/shared/http/tokens/bearer.js';

export { accountKey } from '@tollgate/shared/challenges/attempts/account-key.js';
export type { ChallengeType } from '@tollgate/shared/challenges/types/challenge-type-registry.js';
export { default as formBodies, type FormBodiesOptions } from '@tollgate/shared/http/guard/form-bodies.js';
export type {
  ChallengeRefusal,
  ChallengeVerdict,
  OnRefused,
} from '@tollgate/shared/http/guard/guard-answers.js';
export type { GuardedAttempt } from '@tollgate/shared/http/guard/guarded-attempt.js';
export { captcha, type Guard, type PowOptions, pow } from '@tollgate/shared/http/guard/guards.js';
export type { AccessVerdict } from '@tollgate/shared/http/tokens/bearer.js';
export { ConfigurationError } from '@tollgate/shared/schemas/configuration-error.js';
export type { AccessClaims } from '@tollgate/shared/schemas/token-claims.js';
export { type BearerGuardOptions, default as bearerGuard } from './bearer-guard.js';
export { type ChallengeGuardOptions, default as challengeGuard } from './challenge-guard.js';
