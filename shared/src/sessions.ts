// Ended sessions: the log that all verifiers of access tokens follow.

export { openRevocationLog } from './sessions/open-revocation-log.js';
export { followRevocations, type RevocationFollower } from './sessions/revocation-follower.js';
export { hasEntryOf, LOG_START, REVOCATION_LOG_KEY, type RevocationLog } from './sessions/revocation-log.js';
export { assertGeneration, userSessionsKey } from './sessions/session-keys.js';
export {
  type AccessLifetimes,
  createProofOfUse,
  embeddedProofStore,
  openAccessLifetimes,
  openProofStore,
  type ProofStore,
  redisProofStore,
  type SeenClaims,
} from './sessions/verified-tokens.js';
