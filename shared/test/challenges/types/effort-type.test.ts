// Sufficient effort: the price of its parts, and the verdict on a solved record.

import { EFFORT_SALT, ring, solveEffort } from '@tollgate/test-support/issuing.js';
import t from 'tap';
import { seededRandom } from '../../../src/challenges/types/answer-hashing.js';
import type { ChallengeTypeContext } from '../../../src/challenges/types/challenge-type.js';
import {
  effortAlgorithm,
  effortPartDifficulty,
  effortType,
  formatEffortRecord,
} from '../../../src/challenges/types/effort-type.js';
import { resolveCaptchaOptions } from '../../../src/schemas/captcha-options.js';

const options = resolveCaptchaOptions();
const random = seededRandom(ring.current, effortType.name, '', 0);

t.test("the price of parts rises with the account's failures", async (t) => {
  t.strictSame(
    [0, 1, 2, 3, 4, 50].map((failures) => effortPartDifficulty(options, failures)),
    [18, 18, 20, 22, 24, 24],
  );
  const flat = resolveCaptchaOptions({ pow: { escalate: false } });
  t.equal(effortPartDifficulty(flat, 50), 18, 'not without escalation');
  const more = resolveCaptchaOptions({ effort: { bits: 8 } });
  t.strictSame(
    [0, 2].map((failures) => effortPartDifficulty(more, failures)),
    [20, 24],
  );
});

t.test('efforts of 24 bits issued at 2 failures are accepted up to 4 failures', async (t) => {
  const scope = { keyId: ring.current.id, account: '0'.repeat(32) };
  const rest = formatEffortRecord({ partDifficulty: 20, salt: EFFORT_SALT, scope });
  const answer = solveEffort(20);
  const enough = [2, 3, 4, 5, 6, 7, 8].map((failures) => {
    const about = { options, ring, random, isAccount: () => true, failures };
    t.equal(effortType.isStillEnough?.(rest, about), failures <= 4, `recheck at ${failures} failures`);
    return effortType.verify(rest, answer, about);
  });
  t.strictSame(enough, [
    ...['right', 'right', 'right'],
    ...['insufficient', 'insufficient', 'insufficient', 'insufficient'],
  ]);
});

t.test('the table of sufficient effort, by failures', async (t) => {
  const verdict = (partDifficulty: number, failures: number, scoped: boolean, answer?: string) =>
    effortType.verify(
      formatEffortRecord({
        partDifficulty,
        salt: EFFORT_SALT,
        scope: { keyId: ring.current.id, account: '0'.repeat(32) },
      }),
      answer ?? solveEffort(partDifficulty),
      { options, ring, random, isAccount: () => scoped, failures },
    );
  for (const [failures, plain18, plain20, scoped18, scoped20] of [
    [0, 'right', 'right', 'right', 'right'],
    [1, 'right', 'right', 'right', 'right'],
    [2, 'insufficient', 'right', 'right', 'right'],
    [3, 'insufficient', 'insufficient', 'right', 'right'],
    [4, 'insufficient', 'insufficient', 'insufficient', 'right'],
    [5, 'insufficient', 'insufficient', 'insufficient', 'insufficient'],
    [50, 'insufficient', 'insufficient', 'insufficient', 'insufficient'],
  ] as const) {
    t.strictSame(
      [
        verdict(18, failures, false),
        verdict(20, failures, false),
        verdict(18, failures, true),
        verdict(20, failures, true),
      ],
      [plain18, plain20, scoped18, scoped20],
      `${failures} failures`,
    );
  }
  t.equal(verdict(10, 0, true), 'insufficient', 'parts easier than any that are issued');
  t.equal(
    verdict(18, 50, false, Array(16).fill('0').join('.')),
    'wrong',
    'what is wrong is no more than wrong',
  );
});

t.test('a record names its algorithm by its terms; any other text is no record', async (t) => {
  const account = { keyId: ring.current.id, account: '0'.repeat(32) };
  for (const scope of [null, account]) {
    const sha256 = { partDifficulty: 18, salt: EFFORT_SALT, scope };
    const hashwx = { partDifficulty: 9, salt: EFFORT_SALT.repeat(2), scope, terms: [100, 24] };
    t.equal(effortAlgorithm(formatEffortRecord(sha256)), 'sha256');
    t.equal(effortAlgorithm(formatEffortRecord(hashwx)), 'hashwx-1');
  }
  const about = { options, ring, random, isAccount: undefined, failures: 0 };
  const valid = `24 ${EFFORT_SALT} -`;
  t.ok(effortType.isStillEnough?.(valid, about));
  t.notOk(effortType.hasMinimumTime, 'the work itself takes its time');
  for (const rest of [
    ...['', 'x', ` ${valid}`, `1${valid}`, `${valid} `, `${valid} 5`, `${valid} x 8`, `${valid} 5 x`],
    ...[`${valid} 5 8 9`, `x ${EFFORT_SALT} -`, `24 ${EFFORT_SALT.slice(1)} -`, `24 ${EFFORT_SALT}`],
  ]) {
    t.equal(effortAlgorithm(rest), null, rest);
    t.equal(effortType.isStillEnough?.(rest, about), false, rest);
    t.equal(effortType.verify(rest, solveEffort(18), about), 'wrong', rest);
  }
});

t.test("only effort for the account's ticket may lag behind its failures", async (t) => {
  const account = `${ring.current.id}:${'0'.repeat(32)}`;
  const suffices = (scope: string, isAccount: ChallengeTypeContext['isAccount']) =>
    effortType.isStillEnough?.(`20 ${EFFORT_SALT} ${scope}`, {
      options,
      ring,
      random,
      isAccount,
      failures: 4,
    });
  t.equal(
    suffices(account, (found) => `${found.keyId}:${found.account}` === account),
    true,
  );
  t.equal(suffices(account, undefined), false, 'the form names no account');
  t.equal(
    suffices('-', () => true),
    false,
  );
  t.equal(
    suffices(ring.current.id, () => true),
    false,
    'half a ticket is none',
  );
});
