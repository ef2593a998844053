// Package entry: guards for forms and protected routes of a Fastify application.

// These imports add the types of the server and request decorators.
import '@tollgate/shared/guard';
import '@tollgate/shared/tokens';

export { accountKey, accountSpellings, type ChallengeType } from '@tollgate/shared/challenges';
export {
  captcha,
  formBodies,
  type Guard,
  type GuardedAttempt,
  type OnRefused,
  pow,
} from '@tollgate/shared/guard';
export { type BearerRule, bearer, bearerOf } from '@tollgate/shared/tokens';
export { type BearerGuardOptions, default as bearerGuard } from './bearer-guard.js';
export { type ChallengeGuardOptions, default as challengeGuard } from './challenge-guard.js';
