// Effort in place of a required captcha: price, sufficiency and consumption.

import {
  ACCOUNT,
  cheap,
  EFFORT_SALT,
  IP,
  openDesk,
  ring,
  solveEffort,
} from '@tollgate/test-support/issuing.js';
import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { seededRandom } from '../../../src/challenges/types/answer-hashing.js';
import {
  effortPartDifficulty,
  effortType,
  formatEffortRecord,
} from '../../../src/challenges/types/effort-type.js';
import { resolveCaptchaOptions } from '../../../src/schemas/captcha-options.js';

const context = { ip: IP, pow: false, image: 'demanded' } as const;
const triedAfter = (failures: number) => ({ ...context, account: { key: ACCOUNT, failures } });

t.test('effort passes in place of a captcha, once', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, effort } = openDesk(store);
    const { partDifficulty, ...answer } = await effort();
    t.equal(partDifficulty, 18);
    t.match(await host.verify(answer, triedAfter(2)), { ok: true, given: { image: true } });
    t.match(await host.verify(answer, triedAfter(2)), { code: 'captcha_invalid', reason: 'unknown' });
  });
});

t.test('a wrong part consumes it and reveals no more than a wrong captcha', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, effort } = openDesk(store);
    const right = await effort();
    const wrong = { ...right, imageAnswer: right.imageAnswer.replace(/^\d+/, '0') };
    const refused = { ok: false, code: 'captcha_invalid', fields: { captcha: ['wrong_answer'] } };
    t.strictSame(await host.verify(wrong, triedAfter(2)), { ...refused, reason: 'wrong' });
    t.strictSame(await host.verify(right, triedAfter(2)), { ...refused, reason: 'unknown' });
    const image = await effort();
    t.strictSame(await host.verify({ ...image, imageAnswer: 'k7mxqp' }, triedAfter(2)), {
      ...refused,
      reason: 'wrong',
    });
  });
});

t.test('effort has no minimum time: min_seconds is for images', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, effort, image } = openDesk(store, { input: { ...cheap, min_seconds: 60 } });
    t.match(await host.verify(await effort(), triedAfter(2)), { ok: true });
    t.match(await host.verify(await image(), triedAfter(2)), { reason: 'too_soon' });
  });
});

t.test('bind_ip applies to effort too', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, effort } = openDesk(store, { input: { ...cheap, bind_ip: true } });
    t.match(await host.verify(await effort(), triedAfter(2)), { ok: true });
    for (const ip of ['203.0.113.8', undefined]) {
      t.match(await host.verify(await effort(), { ...triedAfter(2), ip }), { reason: 'other_address' });
    }
    t.match(await host.verify(await effort({ ip: '2001:db8::1' }), { ...triedAfter(2), ip: '2001:db8::2' }), {
      ok: true,
    });
  });
});

t.test('after effort is switched off, issued effort is rejected', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const off = openDesk(store, { input: { ...cheap, effort: { enabled: false } } });
    t.match(await off.host.verify(await off.effort(), triedAfter(2)), { code: 'captcha_invalid' });
    t.notOk('captcha_alternatives' in (await off.host.nextAttempt(ACCOUNT, 5)));
  });
});

t.test('stockpiling: effort without a ticket, or of few failures, is rejected at a high price', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const input = { min_seconds: 0 };
    const { host, effort, ticket } = openDesk(store, { input });
    const plain = await effort();
    const early = await effort({ ticket: ticket() });
    const foreign = await effort({ ticket: ticket('other@example.com') });
    const late = await effort({ ticket: ticket(), partDifficulty: 20 });
    t.strictSame(
      [plain, early, foreign].map((each) => each.partDifficulty),
      [18, 18, 18],
    );
    // At five failures the account costs 24 bits, effort 28; a ticket needs only the price at three failures.
    const insufficient = { code: 'captcha_invalid', fields: { captcha: ['insufficient_work'] } };
    for (const each of [plain, early, foreign]) t.match(await host.verify(each, triedAfter(5)), insufficient);
    t.match(await host.verify(late, triedAfter(4)), { ok: true });
    t.match(await host.verify(await effort({ ticket: ticket() }), triedAfter(2)), { ok: true });
    t.match(await host.verify(await effort(), triedAfter(2)), insufficient, 'dearer by two failures');
  });
});

t.test("the price of parts rises with the account's failures", async (t) => {
  const options = resolveCaptchaOptions();
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
  const options = resolveCaptchaOptions();
  const random = seededRandom(ring.current, effortType.name, '', 0);
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
  const options = resolveCaptchaOptions();
  const random = seededRandom(ring.current, effortType.name, '', 0);
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
