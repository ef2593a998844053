// The verdicts on challenge records: on work, and on an answer or what replaces it.

import { findNonce } from '@tollgate/test-support/find-nonce.js';
import t from 'tap';
import { addressPseudonym } from '../../src/challenges/attempts/pseudonyms.js';
import {
  encodePowTail,
  formatAnswerRecord,
  type PowRecord,
  type VerifiedRecord,
} from '../../src/challenges/store/records.js';
import type { VerifyContext } from '../../src/challenges/submission.js';
import { normaliseAnswer, scrambleAnswer, seededRandom } from '../../src/challenges/types/answer-hashing.js';
import type { ChallengeTypeContext, VerifiedType } from '../../src/challenges/types/challenge-type.js';
import { createWorkJudge, verifyImageRecord } from '../../src/challenges/verify-record.js';
import { openKeyRing } from '../../src/crypto/key-ring.js';
import { resolveCaptchaOptions } from '../../src/schemas/captcha-options.js';
import { ADDRESS, ANSWER, address, OTHER_SECRET, ring, SECRET, unpricedPow } from './fixtures.js';

const FOREIGN = openKeyRing(OTHER_SECRET);
const SALT = '0123456789abcdef'.repeat(2);
const BITS = 8;
const NONCE = findNonce(SALT, BITS);
const WRONG_NONCE = findNonce(SALT, BITS, false);
const SCOPE = { keyId: ring.current.id, account: 'a'.repeat(32) };
const CONTEXT: VerifyContext = { ip: ADDRESS, pow: true, image: 'offered' };

/** The verdict on work of this record; without one there is none. */
function judge(
  record: Partial<PowRecord> | string | null,
  { nonce = NONCE, bindIp = false, context = {} as Partial<VerifyContext> } = {},
) {
  const judgeWork = createWorkJudge({
    ring,
    bindIp,
    field: 'nonce',
    isAccount: (account) => (scope) => account?.key === scope.account,
  });
  const tail = typeof record === 'object' ? encodePowTail({ ...unpricedPow({ salt: SALT }), ...record }) : '';
  const text = typeof record === 'string' ? record : `${BITS} 1 ${tail}`;
  const taken = record === null ? null : { record: text, takenAtMs: 2 };
  return judgeWork(taken, { powToken: 'x', powNonce: nonce }, { ...CONTEXT, ...context });
}

const refused = (reason: string) => ({
  ok: false,
  code: 'pow_invalid',
  fields: { nonce: ['wrong_work'] },
  reason,
});
const algorithm = 'sha256';

t.test('work is right if its nonce solves the record', async (t) => {
  const work = { difficulty: BITS, floor: 8, scoped: false, algorithm };
  t.strictSame(judge({}), { ok: true, work });
  t.strictSame(judge({ floor: 5 }), { ok: true, work: { ...work, floor: 5 } });
  t.strictSame(judge({}, { nonce: WRONG_NONCE }), { ...refused('wrong'), algorithm });
  t.strictSame(judge({ salt: '0'.repeat(32) }, { nonce: findNonce('0'.repeat(32), BITS) }), {
    ok: true,
    work,
  });
});

t.test('work without a record that can be read is unknown', async (t) => {
  t.strictSame(judge(null), refused('unknown'));
  t.strictSame(judge('x'), refused('unknown'));
  t.strictSame(judge({ algorithm: 'later-2' }), { ...refused('unknown'), algorithm: 'later-2' });
});

t.test('bound work comes from the address that it was issued to', async (t) => {
  const bound = { bindIp: true };
  const other = { ...refused('other_address'), algorithm };
  const foreign = { keyId: FOREIGN.current.id, address: addressPseudonym(FOREIGN.current, ADDRESS) };
  t.match(judge({ address }, bound), { ok: true });
  t.match(
    judge({ address }, { ...bound, context: { ip: `::ffff:${ADDRESS}` } }),
    { ok: true },
    'as it is spelt',
  );
  t.strictSame(judge({ address }, { ...bound, context: { ip: '203.0.113.8' } }), other);
  t.strictSame(judge({ address }, { ...bound, context: { ip: undefined } }), other);
  t.strictSame(judge({ address: null }, bound), other);
  t.strictSame(judge(foreign, bound), other, 'of a secret that was removed');
  t.match(judge({ address }, { context: { ip: '203.0.113.8' } }), { ok: true }, 'unless it is not bound');
  t.strictSame(judge({ address: null }, { ...bound, nonce: WRONG_NONCE }), {
    ...refused('wrong'),
    algorithm,
  });
});

t.test('right work may be too easy for its form, or of another algorithm', async (t) => {
  const insufficient = (problem: string) => ({
    ok: false,
    code: 'pow_insufficient',
    fields: { nonce: [problem] },
    reason: 'insufficient',
    algorithm,
  });
  t.match(judge({}, { context: { minDifficulty: BITS } }), { ok: true });
  t.strictSame(judge({}, { context: { minDifficulty: BITS + 1 } }), insufficient('work_too_easy'));
  t.match(judge({}, { context: { algorithms: ['hashwx-1', 'sha256'] } }), { ok: true });
  t.strictSame(judge({}, { context: { algorithms: ['hashwx-1'] } }), insufficient('wrong_algorithm'));
});

t.test('work is scoped if its record names the attempted account', async (t) => {
  const account = { key: SCOPE.account, failures: 0 };
  const scoped = (scope: PowRecord['scope'], attempted?: VerifyContext['account']) =>
    judge({ scope }, { context: { account: attempted } });
  t.match(scoped(SCOPE, account), { work: { scoped: true } });
  t.match(scoped(SCOPE, { key: 'other', failures: 0 }), { work: { scoped: false } });
  t.match(scoped(SCOPE), { work: { scoped: false } });
  t.match(scoped(null, account), { work: { scoped: false } });
});

const TOKEN = 'T'.repeat(40);
const ISSUED_AT_MS = 1_800_000_000_000;
const options = resolveCaptchaOptions({ min_seconds: 2 });

/** The record of a captcha whose answer is `ANSWER`. */
function answerRecord(
  changes: Partial<VerifiedRecord> = {},
  { fold = true, untimed = false } = {},
): VerifiedRecord {
  const answer = scrambleAnswer(ring.current, TOKEN, normaliseAnswer(ANSWER, fold));
  return {
    issuedAtMs: ISSUED_AT_MS,
    verifiedBy: 'answer',
    type: 'text',
    keyId: ring.current.id,
    address: null,
    rest: formatAnswerRecord({
      preset: 'default',
      driver: 'none',
      seed: 1,
      fold,
      answer,
      ...(untimed && { untimed }),
    }),
    ...changes,
  };
}

const typeRecord = (changes: Partial<VerifiedRecord> = {}) =>
  answerRecord({ verifiedBy: 'verify', type: 'own', rest: 'data', ...changes });

/** The verdict on an answer after this time. */
function verify(
  record: VerifiedRecord | null,
  {
    answer = ANSWER,
    afterMs = 2000,
    token = TOKEN,
    bindIp = false,
    types = [] as VerifiedType[],
    ...own
  } = {} as {
    answer?: string;
    afterMs?: number;
    token?: string;
    bindIp?: boolean;
    types?: VerifiedType[];
    address?: string | null;
    isAccount?: ChallengeTypeContext['isAccount'];
    failures?: number;
  },
) {
  return verifyImageRecord(
    record,
    { token, answer, takenAtMs: ISSUED_AT_MS + afterMs },
    {
      ring,
      bindIp,
      options,
      types: new Map(types.map((type) => [type.name, type])),
      address: ADDRESS,
      isAccount: undefined,
      failures: 0,
      ...own,
    },
  );
}

const wrong = (reason: string) => ({ ok: false, reason });

t.test('an answer is right as it is normalised', async (t) => {
  for (const answer of [ANSWER, ANSWER.toUpperCase(), ` ${ANSWER}\n`, ANSWER.split('').join('\u200b ')]) {
    t.match(verify(answerRecord(), { answer }), { ok: true }, JSON.stringify(answer));
  }
  for (const answer of ['', ' ', 'k7mxq', `${ANSWER}x`]) {
    t.strictSame(verify(answerRecord(), { answer }), wrong('wrong'), JSON.stringify(answer));
  }
  t.strictSame(verify(answerRecord({}, { fold: false }), { answer: ANSWER.toUpperCase() }), wrong('wrong'));
  t.match(verify(answerRecord({}, { fold: false })), { ok: true });
  t.strictSame(verify(answerRecord(), { token: 'U'.repeat(40) }), wrong('wrong'), 'of another token');
});

t.test('an empty answer is wrong, whatever the record has', async (t) => {
  const answer = scrambleAnswer(ring.current, TOKEN, '');
  const rest = formatAnswerRecord({ preset: 'default', driver: 'none', seed: 1, fold: true, answer });
  t.strictSame(verify(answerRecord({ rest }), { answer: ' ' }), wrong('wrong'));
});

t.test('a right answer suffices for any number of failures', async (t) => {
  const verdict = verify(answerRecord());
  t.ok(verdict.ok && verdict.isStillEnough(0) && verdict.isStillEnough(100));
});

t.test('a record that is missing, malformed or of a removed secret is unknown', async (t) => {
  t.strictSame(verify(null), wrong('unknown'));
  t.strictSame(verify(answerRecord({ keyId: FOREIGN.current.id })), wrong('unknown'));
  t.strictSame(verify(answerRecord({ rest: 'x' })), wrong('unknown'));
  t.strictSame(verify(typeRecord()), wrong('unknown'), 'of a type that is not known here');
  const both = openKeyRing(`${OTHER_SECRET},${SECRET}`);
  t.match(
    verifyImageRecord(
      answerRecord(),
      { token: TOKEN, answer: ANSWER, takenAtMs: ISSUED_AT_MS + 2000 },
      {
        ring: both,
        bindIp: false,
        options,
        types: new Map(),
        address: null,
        isAccount: undefined,
        failures: 0,
      },
    ),
    { ok: true },
    'of the older of two secrets',
  );
});

t.test('a right answer may come too soon, unless no minimum time applies', async (t) => {
  t.match(verify(answerRecord(), { afterMs: 2000 }), { ok: true });
  t.strictSame(verify(answerRecord(), { afterMs: 1999 }), wrong('too_soon'));
  t.strictSame(verify(answerRecord(), { afterMs: 0, answer: 'x' }), wrong('wrong'));
  t.match(verify(answerRecord({}, { untimed: true }), { afterMs: 0 }), { ok: true });
});

t.test('a bound answer comes from the address that it was issued to', async (t) => {
  t.match(verify(answerRecord({ address }), { bindIp: true }), { ok: true });
  t.strictSame(
    verify(answerRecord({ address }), { bindIp: true, address: '203.0.113.8' }),
    wrong('other_address'),
  );
  t.strictSame(verify(answerRecord({ address }), { bindIp: true, address: null }), wrong('other_address'));
  t.strictSame(verify(answerRecord(), { bindIp: true }), wrong('other_address'));
  t.match(verify(answerRecord({ address }), { address: '203.0.113.8' }), { ok: true });
});

const own = (verify: VerifiedType['verify'], changes: Partial<VerifiedType> = {}): VerifiedType => ({
  name: 'own',
  maxAnswerCharacters: 10,
  hasMinimumTime: false,
  verify,
  ...changes,
});

t.test('a type of its own decides about its answers', async (t) => {
  const calls: unknown[][] = [];
  const isAccount = () => true;
  const type = own((rest, answer, { random, ...context }) => {
    calls.push([rest, answer, random.below(2 ** 32), context]);
    return answer as 'right';
  });
  const asked = { types: [type], afterMs: 0, isAccount, failures: 3 };
  t.match(verify(typeRecord(), { ...asked, answer: 'right' }), { ok: true });
  for (const answer of ['wrong', 'insufficient']) {
    t.strictSame(verify(typeRecord(), { ...asked, answer }), wrong(answer));
  }
  const number = seededRandom(ring.current, 'own', TOKEN, 0).below(2 ** 32);
  t.strictSame(calls[0], ['data', 'right', number, { options, ring, isAccount, failures: 3 }]);
  const timed = own(() => 'right', { hasMinimumTime: true });
  t.strictSame(verify(typeRecord(), { types: [timed], afterMs: 1999 }), wrong('too_soon'));
  t.match(verify(typeRecord(), { types: [timed], afterMs: 2000 }), { ok: true });
});

t.test('a type of its own decides whether an answer suffices after more failures', async (t) => {
  const always = verify(typeRecord(), { types: [own(() => 'right')] });
  t.ok(always.ok && always.isStillEnough(100), 'unless it does not say');
  const type = own(() => 'right', {
    isStillEnough: (rest, { failures, random }) =>
      rest === 'data' &&
      failures < 3 &&
      random.below(9) === seededRandom(ring.current, 'own', TOKEN, 0).below(9),
  });
  const verdict = verify(typeRecord(), { types: [type] });
  t.ok(verdict.ok);
  if (verdict.ok) t.strictSame([0, 2, 3, 100].map(verdict.isStillEnough), [true, true, false, false]);
});

t.test('a fault of a type is no verdict', async (t) => {
  const message = 'verify of the kind own must return right, wrong or insufficient';
  for (const outcome of [undefined, null, true, 'Right', 'unknown']) {
    t.throws(
      () => verify(typeRecord(), { types: [own(() => outcome as never)] }),
      { message },
      String(outcome),
    );
  }
  const throwing = () => {
    throw new RangeError('a secret');
  };
  t.throws(() => verify(typeRecord(), { types: [own(throwing)] }), {
    message: 'verify of the kind own threw RangeError',
  });
  const later = verify(typeRecord(), { types: [own(() => 'right', { isStillEnough: throwing })] });
  t.throws(() => later.ok && later.isStillEnough(1), {
    message: 'isStillEnough of the kind own threw RangeError',
  });
});
