// Verifying a submission: form, work, price, captcha, in this order; and price increases.

import { findNonce } from '@tollgate/test-support/find-nonce.js';
import { ACCOUNT, cheap, fail, IP, openDesk, SECRET } from '@tollgate/test-support/issuing.js';
import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openKeyRing } from '../../src/crypto/key-ring.js';
import { resolveCaptchaOptions } from '../../src/schemas/captcha-options.js';

const forWork = { ip: IP, pow: true, image: 'offered' } as const;
const tried = (failures: number) =>
  ({
    ip: IP,
    pow: true,
    image: failures >= 2 ? 'demanded' : 'offered',
    account: { key: ACCOUNT, failures },
  }) as const;

const insufficient = {
  ok: false,
  code: 'pow_insufficient',
  fields: { pow_nonce: ['insufficient_work'] },
  reason: 'insufficient',
  algorithm: 'sha256',
};
const consumed = { ok: false, code: 'pow_invalid', fields: { pow_nonce: ['wrong_work'] }, reason: 'unknown' };

t.test('failures raise the requirements: unscoped cheap work is rejected and consumed', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, work } = openDesk(store);
    t.match(await host.verify(await work(), tried(0)), { ok: true });
    const cheapWork = await work();
    t.strictSame(await host.verify(cheapWork, tried(1)), insufficient);
    t.strictSame(await host.verify(cheapWork, tried(0)), consumed);
  });
});

t.test('work issued under the ticket is accepted, and so is harder work without one', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, work, ticket } = openDesk(store);
    await fail(host, 1);
    const scoped = await work({ ticket: ticket() });
    t.equal(scoped.difficulty, 4);
    t.match(await host.verify(scoped, tried(1)), {
      ok: true,
      given: { work: { difficulty: 4, floor: 2, scoped: true }, image: false },
    });
    const dear = await work({ options: resolveCaptchaOptions({ ...cheap, pow: { difficulty: 4 } }) });
    t.match(
      await host.verify(dear, tried(1)),
      insufficient,
      'the floor of its time counts, not the bits alone',
    );
    await fail(host, 3);
    const other = await work({ ticket: ticket() });
    t.equal(other.difficulty, 10);
    t.match(await host.verify(other, { ...tried(1), account: { key: 'other@example.com', failures: 1 } }), {
      ok: true,
      given: { work: { scoped: false } },
    });
  });
});

t.test('stockpiling: work prefetched under the ticket at zero failures is rejected after five', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, work, image, ticket } = openDesk(store);
    const stock = await Promise.all(Array.from({ length: 8 }, () => work({ ticket: ticket() })));
    t.ok(stock.every(({ difficulty }) => difficulty === 2));
    const verdictAfter = async (failures: number) => {
      const verdict = await host.verify({ ...stock[failures], ...(await image()) }, tried(failures));
      return verdict.ok ? 'ok' : verdict.code;
    };
    const verdicts = [];
    for (let failures = 0; failures < 6; failures++) verdicts.push(await verdictAfter(failures));
    t.strictSame(verdicts, ['ok', 'ok', 'ok', 'pow_insufficient', 'pow_insufficient', 'pow_insufficient']);
  });
});

t.test('stockpiling: work for another account or application does not count for this one', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, work, ticket } = openDesk(store);
    const foreign = openDesk(store, { name: 'another' });
    for (const each of [ticket('other@example.com'), foreign.ticket(), 'forged', '']) {
      t.strictSame(await host.verify(await work({ ticket: each }), tried(1)), insufficient);
    }
  });
});

t.test('insufficient work consumes no captcha and records nothing', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, work, image, ticket } = openDesk(store);
    await fail(host, 3);
    const picture = await image();
    t.strictSame(await host.verify({ ...(await work()), ...picture }, tried(3)), insufficient);
    t.strictSame(await host.attemptStatus(ACCOUNT), { failures: 3, waitMs: 0 });
    const better = await work({ ticket: ticket() });
    t.match(await host.verify({ ...better, ...picture }, tried(3)), { ok: true }, 'the image still counts');
  });
});

t.test('wrong work is reported as wrong, even if its price was insufficient', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, work, image } = openDesk(store);
    const right = await work();
    const wrong = { ...right, powNonce: findNonce(right.salt, right.difficulty, false) };
    const picture = await image();
    const verdict = await host.verify({ ...wrong, ...picture }, tried(5));
    t.match(verdict, { code: 'pow_invalid', fields: { pow_nonce: ['wrong_work'] } });
    t.match(await host.verify(wrong, tried(5)), { reason: 'unknown' }, 'it is consumed');
    t.match(await host.verify({ ...(await work()), ...picture }, tried(0)), { ok: true });
  });
});

t.test('raising the floor never invalidates issued work', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const before = openDesk(store);
    const raised = openDesk(store, { input: { ...cheap, pow: { ...cheap.pow, difficulty: 6 } } });
    t.match(await raised.host.verify(await before.work(), tried(0)), { ok: true });
    await fail(before.host, 1);
    const scoped = await before.work({ ticket: before.ticket() });
    t.match(await raised.host.verify(scoped, tried(1)), { ok: true });
    t.match(await raised.host.verify(await before.work({ ticket: before.ticket() }), tried(2)), {
      code: 'captcha_required',
    });
  });
});

t.test('a missing captcha is rejected after the work is verified', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, work, image, ticket } = openDesk(store);
    await fail(host, 2);
    const demanded = {
      ok: false,
      code: 'captcha_required',
      fields: { captcha_token: ['required'], captcha: ['required'] },
      reason: 'missing',
    };
    t.strictSame(await host.verify(await work({ ticket: ticket() }), tried(2)), demanded);
    t.strictSame(await host.verify(await work(), tried(2)), insufficient);
    t.strictSame((await host.nextAttempt(ACCOUNT, 2)).captcha_alternatives, ['effort']);
    const [scoped, picture] = [await work({ ticket: ticket() }), await image()];
    t.match(await host.verify({ ...scoped, imageToken: picture.imageToken }, tried(2)), {
      reason: 'malformed',
      fields: { captcha: ['required'] },
    });
    t.match(await host.verify({ ...scoped, ...picture }, tried(2)), { ok: true }, 'a shape spends nothing');
  });
});

t.test('a captcha is verified whenever its fields are present', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, work, image } = openDesk(store);
    const wrong = { ...(await image()), imageAnswer: 'wrong' };
    t.match(await host.verify({ ...(await work()), ...wrong }, forWork), { code: 'captcha_invalid' });
    t.match(await host.verify({ ...(await work()), ...(await image()) }, forWork), {
      ok: true,
      given: { image: true },
    });
    const shape = { code: 'captcha_invalid', reason: 'malformed' };
    for (const part of [
      { imageAnswer: 'x' },
      { imageAnswer: ' ' },
      { imageAnswer: 5 },
      { ...wrong, imageToken: '' },
      { ...wrong, imageAnswer: null },
    ]) {
      t.match(await host.verify({ ...(await work()), ...part }, forWork), shape);
    }
    t.match(await host.verify({ ...(await work()), ...wrong }, { ...forWork, image: 'ignored' }), {
      ok: true,
    });
  });
});

t.test('an attempt is rechecked against the failures counted with it', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, work, image, ticket } = openDesk(store);
    const plain = await host.verify(await work(), tried(0));
    const scoped = await host.verify({ ...(await work({ ticket: ticket() })), ...(await image()) }, tried(0));
    if (!plain.ok || !scoped.ok) throw new Error('both pass');
    t.equal(host.recheck(plain.given, 0), null);
    t.strictSame(host.recheck(plain.given, 1), insufficient);
    t.equal(host.recheck(scoped.given, 2), null);
    t.strictSame(host.recheck(scoped.given, 3), insufficient);
    t.match(host.recheck({ ...scoped.given, image: false }, 2), { code: 'captcha_required' });
  });
});

t.test('without escalation no work is insufficient; without the rule none is required', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const flat = openDesk(store, { input: { ...cheap, pow: { ...cheap.pow, escalate: false } } });
    t.match(await flat.host.verify({ ...(await flat.work()), ...(await flat.image()) }, tried(50)), {
      ok: true,
    });
    const off = openDesk(store, { input: { ...cheap, pow: { ...cheap.pow, enabled: false } } });
    t.match(await off.host.verify({}, tried(1)), { ok: true, given: { work: null } });
    t.match(await off.host.verify({ powToken: 7 }, tried(1)), { ok: true });
    t.match(await off.host.verify({}, tried(2)), { code: 'captcha_required' });
    t.equal(off.host.recheck({ work: null, image: true, isImageStillEnough: () => true }, 99), null);
  });
});

t.test("work and ticket stay valid during a secret's rollout", async (t) => {
  await eachStore(t, async (t, { store }) => {
    const young = 'challenge-secret-of-these-tests-02';
    const old = openDesk(store, { keys: openKeyRing(`${SECRET},${young}`) });
    const next = openDesk(store, { keys: openKeyRing(`${young},${SECRET}`) });
    await fail(old.host, 1);
    const ticket = old.ticket();
    t.match(await next.host.verify(await old.work({ ticket }), tried(1)), {
      ok: true,
      given: { work: { scoped: true } },
    });
    t.equal((await next.work({ ticket })).difficulty, 4, 'the ticket still names the old counter');
  });
});

t.test(
  'success with an own account does not keep the address cheap: its count is cleared once per decay',
  async (t) => {
    await eachStore(t, async (t, { store, age }) => {
      const input = { ...cheap, pow: { ...cheap.pow, volume: { every: 20, step: 2 } } };
      const { host, work } = openDesk(store, { input });
      const prices = async () => {
        const seen = [];
        for (let i = 0; i < 19; i++) seen.push((await work()).difficulty);
        await host.clearFailures('own@example.com', IP);
        return [...new Set(seen)];
      };
      t.strictSame(await prices(), [2]);
      t.strictSame(await prices(), [2], 'the first login has cleared the address');
      t.strictSame(await prices(), [4], 'no later one does');
      t.strictSame(await prices(), [4, 6]);
      await age(900_000);
      t.strictSame(await prices(), [2]);
    });
  },
);

t.test("an account's failures are withdrawn by name, and cleared on success", async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host } = openDesk(store);
    const first = await host.recordFailure(ACCOUNT);
    const second = await host.recordFailure(ACCOUNT);
    t.strictSame([first.failures, second.failures], [1, 2]);
    t.equal(await host.requiredFor(ACCOUNT), true);
    t.equal(await host.requiredFor(ACCOUNT, 3), false);
    await host.withdrawFailure(ACCOUNT, first.id);
    await host.withdrawFailure(ACCOUNT, first.id);
    t.equal((await host.attemptStatus(ACCOUNT)).failures, 1);
    await host.clearFailures(ACCOUNT);
    t.equal((await host.attemptStatus(ACCOUNT)).failures, 0);
  });
});

t.test('the next requirements are the same for every account, known or unknown', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host } = openDesk(store);
    t.strictSame(await host.nextAttempt(undefined, 0), { captcha_required: false });
    const [a, b] = [await host.nextAttempt(ACCOUNT, 1), await host.nextAttempt('nobody@example.com', 1)];
    t.strictSame(Object.keys(a), ['captcha_required', 'pow_scope']);
    t.strictSame(Object.keys(b), Object.keys(a));
    t.equal(a.pow_scope?.length, b.pow_scope?.length);
    t.match(await host.nextAttempt(ACCOUNT, 2), { captcha_required: true, captcha_alternatives: ['effort'] });
  });
});

// The price remembered for an address: a client without tickets still gets sufficient work.

const OTHER_IP = '203.0.113.8';
const OTHER = 'other@example.com';

t.test('after one wrong password, work without a ticket is issued at a sufficient price', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, work } = openDesk(store);
    await fail(host, 1);
    const context = {
      ip: IP,
      pow: true,
      image: 'escalating',
      account: host.attemptedAccount(ACCOUNT),
    } as const;
    t.match(await host.verify(await work(), context), { code: 'pow_insufficient' });
    await host.nextAttempt(ACCOUNT, 1, IP);
    const dearer = await work();
    t.equal(dearer.difficulty, 4);
    t.match(await host.verify(dearer, context), { ok: true });
  });
});

t.test('it never makes work cheaper, and the highest of several accounts counts', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const input = {
      test_mode: true,
      pow: { difficulty: 2, max_difficulty: 14, volume: { every: 3, step: 4 } },
    };
    const { host, work } = openDesk(store, { input });
    await host.nextAttempt(ACCOUNT, 3, IP);
    t.equal((await work()).difficulty, 8);
    await host.nextAttempt(OTHER, 1, IP);
    t.equal((await work()).difficulty, 8, 'a cheaper account lowers nothing');
    await host.nextAttempt(OTHER, 0, IP);
    t.equal((await work()).difficulty, 8, 'nor does one without failures');
    for (let n = 0; n < 5; n++) await work();
    t.equal((await work()).difficulty, 14, 'what the address itself costs is more by now');
    await host.nextAttempt(ACCOUNT, 90, OTHER_IP);
    t.equal((await work({ ip: OTHER_IP })).difficulty, 14, 'never more than the ceiling');
  });
});

t.test('it applies to its address alone, for the lifetime of work after the last rejection', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const { host, work } = openDesk(store);
    await host.nextAttempt(ACCOUNT, 1, IP);
    t.equal((await work({ ip: OTHER_IP })).difficulty, 2);
    await age(100_000);
    t.equal((await work()).difficulty, 4);
    await host.nextAttempt(ACCOUNT, 1, IP);
    await age(100_000);
    t.equal((await work()).difficulty, 4, 'each refusal begins anew');
    await age(21_000);
    t.equal((await work()).difficulty, 2);
  });
});

t.test('a request with a valid ticket is not priced by it, one with a forged ticket is', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, work, ticket } = openDesk(store);
    await host.nextAttempt(ACCOUNT, 4, IP);
    t.equal((await work({ ticket: ticket(OTHER) })).difficulty, 2);
    t.equal((await work({ ticket: `${ticket(OTHER)}x` })).difficulty, 10);
    t.equal((await work()).difficulty, 10);
  });
});

t.test('a success from the address clears it, any number of times', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, work } = openDesk(store);
    for (let n = 0; n < 3; n++) {
      await host.nextAttempt(ACCOUNT, 2, IP);
      t.equal((await work()).difficulty, 6);
      await host.clearFailures(OTHER, OTHER_IP);
      t.equal((await work()).difficulty, 6, 'a success elsewhere does not');
      await host.clearFailures(ACCOUNT, IP);
      t.equal((await work()).difficulty, 2);
    }
  });
});

t.test('without escalation nothing is remembered', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const input = { test_mode: true, pow: { difficulty: 2, escalate: false } };
    const { host, work } = openDesk(store, { input });
    t.notOk('pow_scope' in (await host.nextAttempt(ACCOUNT, 9, IP)));
    t.equal((await work()).difficulty, 2);
  });
});
