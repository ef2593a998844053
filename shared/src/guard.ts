// The guard of a form: Fastify hooks that require solved challenges, with their responses.

export { default as challengeGuard } from './http/guard/challenge-guard.js';
export { default as formBodies } from './http/guard/form-bodies.js';
export {
  answerGuarded,
  challengeError,
  type OnRefused,
  prefersPage,
  verdictBody,
} from './http/guard/guard-answers.js';
export { challengeFieldsOf, type GuardedAttempt } from './http/guard/guarded-attempt.js';
export { captcha, type Guard, pow } from './http/guard/guards.js';
export { keepAllHeaders } from './http/server/keep-all-headers.js';
