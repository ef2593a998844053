// Issues and solves challenges for the tests of this folder.

import { randomBytes } from 'node:crypto';
import { findNonce } from '@tollgate/test-support/find-nonce.js';
import { accountPseudonym, addressPseudonym, slotTag } from '../../src/challenges/attempts/pseudonyms.js';
import { type ChallengeVerifier, createChallengeVerifier } from '../../src/challenges/challenge-verifier.js';
import type {
  ChallengeStore,
  EffortIssue,
  ImageIssue,
  PowIssue,
  Redemption,
} from '../../src/challenges/store/challenge-store.js';
import { openChallengeStore } from '../../src/challenges/store/open-challenge-store.js';
import {
  type AnswerRecord,
  encodePowTail,
  encodeVerifiedTail,
  formatAnswerRecord,
  makeToken,
  type PowRecord,
  parsePowRecord,
} from '../../src/challenges/store/records.js';
import { normaliseAnswer, scrambleAnswer } from '../../src/challenges/types/answer-hashing.js';
import { EFFORT, formatEffortRecord } from '../../src/challenges/types/effort-type.js';
import { type KeyRing, openKeyRing } from '../../src/crypto/key-ring.js';
import { type CaptchaOptionsInput, resolveCaptchaOptions } from '../../src/schemas/captcha-options.js';
import type { Store } from '../../src/store/open-store.js';

export const SECRET = 'challenge-secret-of-the-tests-0001';
export const OTHER_SECRET = 'challenge-secret-of-the-tests-0002';
export const ring = openKeyRing(SECRET);

/** A client's address, an account key, and their pseudonyms. */
export const ADDRESS = '203.0.113.7';
export const ACCOUNT = 'demo@example.com';
export const address = addressPseudonym(ring.current, ADDRESS);
export const otherAddress = addressPseudonym(ring.current, '203.0.113.8');
export const account = accountPseudonym(ring.current, 'tests', ACCOUNT);

export const ANSWER = 'k7mxqp';
export const DECAY_MS = 900_000;
export const MINUTE_MS = 60_000;

/** The difficulty here: too high to guess a solution, low enough to solve at once. */
const FLOOR = 8;

export const challengesOn = (store: Store): ChallengeStore => openChallengeStore(store, 'captcha');

export const newClaim = (): string => randomBytes(16).toString('hex');

/** Arguments for issuing a proof of work; every call is a new challenge. */
export function powIssue(
  changes: Partial<PowIssue> = {},
  terms: Partial<PowIssue['terms']> = {},
  pow: Partial<UnpricedPow> = {},
): PowIssue {
  return {
    token: makeToken(slotTag(changes.address ?? address)),
    address,
    limit: { max: 1000, windowMs: MINUTE_MS },
    recordTail: encodePowTail(unpricedPow(pow)),
    terms: { floor: FLOOR, ceiling: 24, failureStep: 2, volumeStep: 2, volumeEvery: 20, ...terms },
    failures: 0,
    volumeMs: DECAY_MS,
    expireSeconds: 120,
    expireGrows: true,
    ...changes,
  };
}

/** Arguments for issuing effort; every call is a new challenge. */
export function effortIssue(changes: Partial<EffortIssue> = {}): EffortIssue {
  const {
    recordTail: _tail,
    expireGrows: _grows,
    ...asked
  } = powIssue(changes.address === undefined ? {} : { address: changes.address });
  const salt = randomBytes(16).toString('hex');
  return {
    ...asked,
    bits: 4,
    recordTail: (partDifficulty) =>
      encodeVerifiedTail({
        verifiedBy: 'verify',
        type: EFFORT,
        keyId: ring.current.id,
        address: null,
        rest: formatEffortRecord({ partDifficulty, salt, scope: null }),
      }),
    ...changes,
  };
}

/** The part of a work record that is known before pricing. */
type UnpricedPow = Omit<PowRecord, 'difficulty' | 'issuedAtMs'>;

export function unpricedPow(changes: Partial<UnpricedPow> = {}): UnpricedPow {
  return {
    floor: FLOOR,
    algorithm: 'sha256',
    keyId: ring.current.id,
    salt: randomBytes(16).toString('hex'),
    address: null,
    scope: null,
    ...changes,
  };
}

/** Arguments for issuing a captcha; its answer is always `ANSWER`. */
export function imageIssue(
  changes: Partial<ImageIssue> = {},
  image: Partial<AnswerRecord & { keyId: string; address: string | null }> = {},
  keys: KeyRing = ring,
): ImageIssue {
  const token = makeToken(slotTag(changes.address ?? address));
  const { keyId = keys.current.id, address: bound = null, fold = true, ...own } = image;
  const answer = scrambleAnswer(keys.current, token, normaliseAnswer(ANSWER, fold));
  const record = { preset: 'default', driver: 'canvas@3.2.0/1', seed: 123_456_789, fold, answer, ...own };
  return {
    token,
    address,
    limit: { max: 1000, windowMs: MINUTE_MS },
    recordTail: encodeVerifiedTail({
      verifiedBy: 'answer',
      type: 'text',
      keyId,
      address: bound,
      rest: formatAnswerRecord(record),
    }),
    expireSeconds: 120,
    ...changes,
  };
}

/** An issued proof of work with its solution. */
export async function issueWork(
  challenges: ChallengeStore,
  issue: PowIssue = powIssue(),
): Promise<{ powToken: string; powNonce: string; salt: string; difficulty: number }> {
  const issued = await challenges.issuePow(issue);
  if (!issued.allowed) throw new Error('the request was over its limit');
  const salt = parsePowRecord(`0 0 ${issue.recordTail}`)?.salt ?? '';
  const { difficulty } = issued;
  return { powToken: issue.token, powNonce: findNonce(salt, difficulty), salt, difficulty };
}

/** An issued captcha with its answer. */
export async function issuePicture(
  challenges: ChallengeStore,
  issue: ImageIssue = imageIssue(),
): Promise<{ imageToken: string; imageAnswer: string }> {
  const issued = await challenges.issueImage(issue);
  if (!issued.allowed) throw new Error('the request was over its limit');
  return { imageToken: issue.token, imageAnswer: ANSWER };
}

/** Arguments for redeeming work; every call has a new claim and a new receipt. */
export function redemption(changes: Partial<Redemption> & { powToken: string }): Redemption {
  return {
    claim: newClaim(),
    receiptToken: makeToken(changes.powToken.slice(0, 2)),
    // As written by the drop-in; the store does not read it.
    receiptTail: `${ring.current.id} ${address} turnstile shop.example sign-in `,
    receiptSeconds: 60,
    ...changes,
  };
}

/** A verifier under test; captchas may be answered immediately unless `options` differ. */
export function hostOn(
  store: Store,
  options: CaptchaOptionsInput = {},
  { keys = ring, name = 'tests' }: { keys?: KeyRing; name?: string } = {},
): ChallengeVerifier {
  return createChallengeVerifier({
    store: challengesOn(store),
    ring: keys,
    options: resolveCaptchaOptions({ min_seconds: 0, ...options }),
    application: name,
    clock: Date.now,
  });
}
