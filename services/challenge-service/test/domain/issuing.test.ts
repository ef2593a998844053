// Issued challenges: the store request and the response body, for each kind of work and for images.

import { addressPseudonyms, parsePowRecord, parseVerifiedRecord } from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import { type CaptchaOptionsInput, resolveCaptchaOptions } from '@tollgate/shared/schemas';
import fc from 'fast-check';
import t from 'tap';
import { effortChallenge, effortIssue } from '../../src/domain/effort-challenge.js';
import {
  type IssuerDependencies,
  issuingAddress,
  newWork,
  type PricedScope,
  workTerms,
} from '../../src/domain/issuing.js';
import { powChallenge, powIssue, requestedDifficulty } from '../../src/domain/proof-of-work.js';

const NOW = 1_800_000_000_000;
const IP = '203.0.113.7';
const ring = openKeyRing('challenge-secret-of-the-tests-0001');
const keyId = ring.current.id;
const LIMIT = { max: 30, windowMs: 60_000 };
const HASHWX = { pow: { algorithms: 'sha256,hashwx-1=50', nonces_per_function: 1024 } };
const scope = { keyId, account: 'a'.repeat(32) };
const priced: PricedScope = { scope, failures: 3, demand: null };
const demanding = (bits: number, algorithms: readonly string[] | null = null): PricedScope => ({
  scope: null,
  failures: 0,
  demand: { bits, algorithms, preset: null },
});

function depsWith(
  input: CaptchaOptionsInput = {},
  others: Partial<IssuerDependencies> = {},
): IssuerDependencies {
  const random = (size: number) => new Uint8Array(size).fill(0xab);
  return { options: resolveCaptchaOptions(input), ring, limit: LIMIT, random, ...others };
}
const issued = (difficulty: number) =>
  ({ allowed: true, limit: { count: 1, resetMs: 1 }, nowMs: NOW, difficulty, lifetimeSeconds: 90 }) as never;
const TIMES = { expires_in: 90, expires_at: '2027-01-15T08:01:30+00:00' };

t.test('HashWX is used if it is accepted, and both client and form request it', async (t) => {
  const plain = { algorithm: 'sha256', salt: 'ab'.repeat(16) };
  const hashwx = {
    algorithm: 'hashwx-1',
    salt: 'ab'.repeat(32),
    terms: [50, 1024],
  };
  const made = (...args: Parameters<typeof newWork>) => {
    const work = newWork(...args);
    return { ...work, algorithm: work.algorithm.name };
  };
  t.strictSame(made(depsWith(), 'hashwx-1'), plain, 'not accepted');
  t.strictSame(made(depsWith(HASHWX), undefined), plain, 'not asked for');
  t.strictSame(made(depsWith(HASHWX), 'hashwx-1'), hashwx);
  t.strictSame(made(depsWith(HASHWX), 'hashwx-1,sha256', demanding(0, ['sha256']).demand), plain);
  t.strictSame(made(depsWith(HASHWX), 'sha256,hashwx-1', demanding(0, ['hashwx-1']).demand), hashwx);
});

t.test('the client is counted by pseudonyms, and the record contains one only with bind_ip', async (t) => {
  const { address, networks, tag } = addressPseudonyms(ring.current, IP);
  t.strictSame(issuingAddress(depsWith(), IP), {
    client: { address, networks, limit: LIMIT },
    tag,
    factor: 1,
    bound: null,
  });
  t.equal(issuingAddress(depsWith({ bind_ip: true }), IP).bound, address);
  const unknown = issuingAddress(depsWith({ bind_ip: true }), null);
  t.equal(unknown.bound, null);
  t.equal(unknown.client.address, addressPseudonyms(ring.current, 'unknown').address);
});

t.test("an address's factor multiplies its limits and those of its networks", async (t) => {
  const factorOf = (address: string | null) => (address === IP ? 4 : 1);
  const networkMax = [60, 120] as const;
  const limitOf = (limit: IssuerDependencies['limit'], address: string) =>
    issuingAddress(depsWith({}, { limit, factorOf }), address).client.limit;
  t.strictSame(limitOf(LIMIT, IP), { max: 120, windowMs: 60_000 });
  t.strictSame(limitOf({ ...LIMIT, networkMax }, IP), { max: 120, windowMs: 60_000, networkMax: [240, 480] });
  t.strictSame(limitOf({ ...LIMIT, networkMax }, '203.0.113.8'), { ...LIMIT, networkMax });
  t.equal(issuingAddress(depsWith({}, { factorOf }), IP).factor, 4);
});

t.test('the price terms follow the options, the factor and the load', async (t) => {
  const options = (escalate: boolean) =>
    resolveCaptchaOptions({
      pow: { difficulty: 17, max_difficulty: 20, step: 3, escalate, volume: { every: 7, step: 1 } },
      escalation: { decay: 60 },
    });
  const terms = { floor: 17, ceiling: 20, failureStep: 3, volumeStep: 1, volumeEvery: 7 };
  t.strictSame(workTerms(options(true), null, 1), { terms, failures: 0, hasTicket: false, volumeMs: 60_000 });
  t.strictSame(workTerms(options(false), priced, 5, 4), {
    terms: { ...terms, floor: 21, failureStep: 0, volumeEvery: 35 },
    failures: 3,
    hasTicket: true,
    volumeMs: 60_000,
  });
  t.equal(
    workTerms(options(true), demanding(9), 1).hasTicket,
    false,
    'a ticket of a demand names no account',
  );
});

t.test('a proof of work is recorded with its terms, without the bits added by load', async (t) => {
  const deps = depsWith({ ...HASHWX, bind_ip: true }, { raisedBits: () => 4 });
  const { issue, work } = powIssue(deps, IP, priced, 0, 'hashwx-1');
  const { address, networks, tag } = addressPseudonyms(ring.current, IP);
  const { recordTail, ...rest } = issue;
  t.strictSame(rest, {
    token: rest.token,
    address,
    networks,
    limit: LIMIT,
    ...workTerms(deps.options, priced, 1, 4),
    least: 0,
    expireSeconds: 120,
    expireGrows: true,
  });
  t.match(rest.token, new RegExp(`^${tag}[A-Za-z0-9]{38}$`));
  t.strictSame(parsePowRecord(`20 ${NOW} ${recordTail}`), {
    difficulty: 20,
    issuedAtMs: NOW,
    floor: 16,
    keyId,
    address,
    scope,
    ...work,
    algorithm: 'hashwx-1',
  });
  const unpriced = powIssue(depsWith(), IP, null);
  t.match(parsePowRecord(`20 ${NOW} ${unpriced.issue.recordTail}`), { address: null, scope: null });
  t.equal(unpriced.issue.terms.floor, 16);
});

t.test('the minimum difficulty is the higher of client and form, up to the maximum price', async (t) => {
  const bits = fc.integer({ min: 0, max: 99 });
  const property = fc.property(bits, bits, (requested, demanded) => {
    const { least } = powIssue(depsWith(), IP, demanding(demanded), requested).issue;
    t.equal(least, Math.min(24, Math.max(requested, demanded)));
    t.equal(powIssue(depsWith(), IP, priced, requested).issue.least, Math.min(24, requested));
  });
  t.doesNotThrow(() => fc.assert(property));
  const asked = ['0', '7', '24', '99', '', '100', '-1', '1.5', '1e1', ' 1', '1 ', 'x', ['7'], 7, undefined];
  t.strictSame(asked.map(requestedDifficulty), [0, 7, 24, 99, ...Array<number>(11).fill(0)]);
});

t.test('the response for a proof of work', async (t) => {
  const plain = powIssue(depsWith(), IP, null);
  const token = plain.issue.token;
  const salt = 'ab'.repeat(16);
  t.strictSame(powChallenge(plain, issued(18)), {
    token,
    salt,
    difficulty: 18,
    algorithm: 'sha256',
    ...TIMES,
  });
  const hashwx = powIssue(depsWith(HASHWX), IP, null, 0, 'hashwx-1');
  t.strictSame(powChallenge(hashwx, issued(18)), {
    token: hashwx.issue.token,
    salt: 'ab'.repeat(32),
    difficulty: 18,
    algorithm: 'hashwx-1',
    parts: 4,
    part_hashes: 1311,
    nonces_per_function: 1024,
    ...TIMES,
  });
});

t.test('effort is recorded for its account and priced as a proof of work', async (t) => {
  const deps = depsWith({ ...HASHWX, effort: { bits: 3 }, bind_ip: true }, { raisedBits: () => 4 });
  const { recordTail, ...issue } = effortIssue(deps, IP, priced).issue;
  const { address, networks } = addressPseudonyms(ring.current, IP);
  t.strictSame(issue, {
    token: issue.token,
    address,
    networks,
    limit: LIMIT,
    ...workTerms(deps.options, priced, 1, 4),
    bits: 3,
    expireSeconds: 120,
  });
  t.strictSame(parseVerifiedRecord(`${NOW} ${recordTail(18)}`), {
    issuedAtMs: NOW,
    verifiedBy: 'verify',
    type: 'effort',
    keyId,
    address,
    rest: `18 ${'ab'.repeat(16)} ${keyId}:${scope.account}`,
  });
  const unpriced = effortIssue(depsWith(HASHWX), IP, null, 'hashwx-1').issue;
  t.match(parseVerifiedRecord(`${NOW} ${unpriced.recordTail(18)}`), {
    address: null,
    rest: `18 ${'ab'.repeat(32)} - 50 1024`,
  });
  t.equal(unpriced.terms.floor, 16);
  const form = effortIssue(depsWith(HASHWX), IP, demanding(0, ['hashwx-1']), 'sha256,hashwx-1');
  t.equal(form.work.algorithm.name, 'hashwx-1');
});

t.test('the response for effort: sixteen parts, or four in HashWX with the same total work', async (t) => {
  const plain = effortIssue(depsWith(), IP, null);
  t.strictSame(effortChallenge(plain, issued(18)), {
    token: plain.issue.token,
    salt: 'ab'.repeat(16),
    parts: 16,
    part_difficulty: 18,
    algorithm: 'sha256',
    ...TIMES,
  });
  const hashwx = effortIssue(depsWith(HASHWX), IP, null, 'hashwx-1');
  t.strictSame(effortChallenge(hashwx, issued(18)), {
    token: hashwx.issue.token,
    salt: 'ab'.repeat(32),
    parts: 4,
    part_hashes: Math.round(2 ** 22 / 200),
    nonces_per_function: 1024,
    part_difficulty: 20,
    algorithm: 'hashwx-1',
    ...TIMES,
  });
});
