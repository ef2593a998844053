// Challenges: their types, records, submissions, and the steps that verify and count an attempt.

export { parseAttempts } from './challenges/attempts/attempts.js';
export { type Demand, presetMark } from './challenges/attempts/demand.js';
export { makePass, PASS_NAME_FORM, PASS_NAME_PATTERN, passHash } from './challenges/attempts/pass.js';
export {
  accountKey,
  accountPseudonym,
  accountSpellings,
  addressPseudonym,
  addressPseudonyms,
  foldAccount,
  normaliseAddress,
  slotTag,
  withoutPort,
} from './challenges/attempts/pseudonyms.js';
export { openTicket, type Scope, sealTicket } from './challenges/attempts/scope-ticket.js';
export {
  type AttemptContext,
  type CheckedAttempt,
  verifyAndCount,
} from './challenges/attempts/verify-and-count.js';
export { challengeLifetimes, type ExtensionLifetimes } from './challenges/challenge-lifetimes.js';
export {
  type ChallengeObserver,
  type ChallengeVerifier,
  createChallengeVerifier,
  type NoScriptImage,
} from './challenges/challenge-verifier.js';
export { areAcceptedAlgorithms, demandOf, requirementsOf } from './challenges/form-rules.js';
export type {
  ChallengeStore,
  EffortIssue,
  ImageIssue,
  Issued,
  PassStore,
  PowIssue,
  RequestLimit,
} from './challenges/store/challenge-store.js';
export {
  AnswerRecord,
  challengeKeys,
  configFingerprintKey,
  encodePowTail,
  encodeVerifiedTail,
  formatAnswerRecord,
  makeToken,
  parseAnswerRecord,
  parsePowRecord,
  parseVerifiedRecord,
  readyKey,
  VerifiedRecord,
} from './challenges/store/records.js';
export {
  type FailedVerdict,
  type FieldNames,
  failed,
  type GivenProof,
  idempotentClaim,
  imageMissing,
  imageProblems,
  type KnownDevice,
  malformed,
  offersImage,
  powProblems,
  type Submission,
  submissionFrom,
  type Verdict,
} from './challenges/submission.js';
export {
  drawKey,
  MAX_ANSWER_CHARACTERS,
  normaliseAnswer,
  scrambleAnswer,
  seededRandom,
} from './challenges/types/answer-hashing.js';
export { loadChallengeModule } from './challenges/types/challenge-module.js';
export {
  type AnswerType,
  ChallengeTypeError,
  challengeTypeFault,
  type MadeChallenge,
  runChallengeType,
  type VerifiedType,
} from './challenges/types/challenge-type.js';
export {
  type ChallengeType,
  challengeTypeMistakes,
  isVerifiedType,
  TEXT,
  verifiedTypes,
} from './challenges/types/challenge-type-registry.js';
export { EFFORT, effortPartDifficulty, formatEffortRecord } from './challenges/types/effort-type.js';
export { createImageVerifier } from './challenges/verify-image.js';
export { createWorkJudge } from './challenges/verify-record.js';
