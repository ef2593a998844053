// The price remembered for an address: a client without tickets still gets sufficient work.

import { ACCOUNT, fail, IP, openDesk } from '@tollgate/test-support/issuing.js';
import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';

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
