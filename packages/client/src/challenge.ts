// Form challenges in the browser: fetches, solves and renews them.

export type {
  ChallengeOptions,
  FetchOptions,
  FieldNames,
  SolvedEffort,
  SolveEffortOptions,
  SolveOptions,
} from './challenge/challenge-options.js';
export type {
  ChallengeState,
  ChallengeStatus,
  ShownEffort,
  ShownImage,
  WorkProgress,
} from './challenge/challenge-state.js';
export type { ChallengeController } from './challenge/controller.js';
export { createChallenge } from './challenge/create-challenge.js';
export { CaptchaRequestError, CaptchaUnansweredError } from './challenge/errors.js';
export { fetchEffortChallenge, fetchImageChallenge, fetchPowChallenge } from './challenge/fetch-challenge.js';
export {
  type ObtainOptions,
  obtainPow,
  solveEffort,
  solvePow,
} from './challenge/solve-challenge.js';
export { PowGaveUpError } from './solver/errors.js';
export {
  type Found,
  type HashwxTask,
  type KernelPath,
  openSolver,
  type SearchOptions,
  type SearchProgress,
  type SearchTask,
  type Solver,
  type SolverPath,
  type SolverState,
} from './solver/solver.js';
export type { EffortChallenge, ErrorBody, ImageChallenge, PowChallenge } from './wire.js';
