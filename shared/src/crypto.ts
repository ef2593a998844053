// Cryptography: key rings, sealed envelopes, access and signing keys, random values.

export { exportAccessKeys, importAccessKeys } from './crypto/access-keys.js';
export { equalBytes, equalText, matcherOf } from './crypto/constant-time.js';
export {
  canonicalText,
  cookieValues,
  createEnvelope,
  createKeyedEnvelope,
  type EnvelopeKey,
} from './crypto/envelope.js';
export { type KeyRing, keyedHash, openKeyRing, type RingKey } from './crypto/key-ring.js';
export { jwksOf, type PublicKey, readJwks, type SigningAlgorithm } from './crypto/public-keys.js';
export { randomAlphanumerics, randomBytes, randomHex } from './crypto/random.js';
export {
  createSigningKey,
  openSigningKeys,
  type SigningKey,
  type SigningKeys,
} from './crypto/signing-keys.js';
