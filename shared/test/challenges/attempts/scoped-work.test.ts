// Work for the holder of a scope ticket, on every store.

import { ACCOUNT, fail, openDesk } from '@tollgate/test-support/issuing.js';
import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';

t.test("work is priced by the failures of the ticket's account", async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const { host, work, ticket } = openDesk(store);
    t.equal((await work({ ticket: ticket() })).difficulty, 2);
    for (const difficulty of [4, 6, 8, 10, 12, 14, 14, 14]) {
      await fail(host, 1);
      t.equal((await work({ ticket: ticket() })).difficulty, difficulty);
    }
    t.equal((await work()).difficulty, 2, 'without a ticket the plain price applies');
    t.equal((await work({ ticket: ticket('other@example.com') })).difficulty, 2);
    for (const forged of ['', 'forged', ticket().toLowerCase(), `${ticket()}x`, [ticket(), ticket()]]) {
      t.equal((await work({ ticket: forged })).difficulty, 2, 'what is no ticket is no error either');
    }
    await age(900_000);
    t.equal((await work({ ticket: ticket() })).difficulty, 2, 'failures are forgotten');
  });
});

t.test('each failure is forgotten individually, a success clears all', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const { host, work, ticket } = openDesk(store);
    const price = async () => (await work({ ticket: ticket() })).difficulty;
    await fail(host, 1);
    await age(300_000);
    await fail(host, 2);
    t.equal(await price(), 8);
    await age(600_000);
    t.equal(await price(), 6);
    await fail(host, 1);
    t.equal(await price(), 8);
    await host.clearFailures(ACCOUNT);
    t.equal(await price(), 2);
  });
});

t.test("a ticket of one application does not read another's counters", async (t) => {
  await eachStore(t, async (t, { store }) => {
    const [first, second] = [openDesk(store, { name: 'first' }), openDesk(store, { name: 'second' })];
    await fail(first.host, 3);
    t.equal((await first.work({ ticket: first.ticket() })).difficulty, 8);
    t.equal((await second.work({ ticket: second.ticket() })).difficulty, 2);
    t.not(first.ticket().slice(15, 36), second.ticket().slice(15, 36));
  });
});

t.test('without escalation there are no tickets', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const input = { test_mode: true, pow: { difficulty: 2, escalate: false }, min_seconds: 0 };
    const { host, work, ticket } = openDesk(store, { input });
    await fail(host, 5);
    t.strictSame(await host.nextAttempt(ACCOUNT, 5), {
      captcha_required: true,
      captcha_alternatives: ['effort'],
    });
    t.equal(ticket(), '');
    t.equal((await work({ ticket: openDesk(store).ticket() })).difficulty, 2);
  });
});
