// The entry of the package: guards for the forms and the protected routes of a Fastify application.

// These imports add the decorators of the server and the request to the types of the application.
import '@tollgate/shared/http/guard/challenge-guard.js';
import '@tollgate/shared/http/tokens/bearer.js';

export { accountKey, accountSpellings } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
export type { ChallengeType } from '@tollgate/shared/challenges/types/challenge-type-registry.js';
export { default as formBodies } from '@tollgate/shared/http/guard/form-bodies.js';
export type { OnRefused } from '@tollgate/shared/http/guard/guard-answers.js';
export type { GuardedAttempt } from '@tollgate/shared/http/guard/guarded-attempt.js';
export { captcha, type Guard, pow } from '@tollgate/shared/http/guard/guards.js';
export { type BearerRule, bearer, bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
export { type BearerGuardOptions, default as bearerGuard } from './bearer-guard.js';
export { type ChallengeGuardOptions, default as challengeGuard } from './challenge-guard.js';
