// A stolen refresh token, used by both thief and owner.

import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openSessionStore } from '../../src/stores/open-session-store.js';
import type { SessionStore } from '../../src/stores/session-store.js';
import { AGENT, HOUR, LAPTOP, PHONE, RULES } from '../support/session-rules.js';

const STRICT = { ...RULES, windowMs: 0 };

async function startTwo(sessions: SessionStore): Promise<void> {
  for (const session of [PHONE, LAPTOP]) await sessions.start({ ...session, ...AGENT }, RULES);
}

// The order does not matter to the store: "first" and "second" are owner and thief in either order.
t.test(
  'stolen refresh token: after a later rotation by the first user, the second use ends only that session',
  async (t) => {
    await eachStore(t, async (t, { store, age }) => {
      const sessions = openSessionStore(store);
      await startTwo(sessions);
      t.match(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), { generation: 2 });
      await age(HOUR);
      t.match(await sessions.rotate({ ...PHONE, generation: 2 }, RULES), { generation: 3 });
      t.strictSame(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), { outcome: 'reuse' });
      t.strictSame(await sessions.rotate({ ...PHONE, generation: 3 }, RULES), { outcome: 'revoked' });
      t.match(await sessions.rotate({ ...LAPTOP, generation: 1 }, RULES), { outcome: 'rotated' });
    });
  },
);

t.test(
  'stolen refresh token used simultaneously: both get the same generation, and reuse is detected at the next refreshes',
  async (t) => {
    await eachStore(t, async (t, { store, age }) => {
      const sessions = openSessionStore(store);
      await startTwo(sessions);
      t.match(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), { generation: 2 });
      t.match(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), { generation: 2 });
      await age(HOUR);
      t.match(await sessions.rotate({ ...PHONE, generation: 2 }, RULES), { generation: 3 });
      await sessions.proveUsed({ ...PHONE, generation: 3 });
      await age(HOUR);
      t.strictSame(await sessions.rotate({ ...PHONE, generation: 2 }, RULES), { outcome: 'reuse' });
      t.strictSame(
        (await sessions.list(7)).map(({ sid }) => sid),
        ['laptop'],
      );
    });
  },
);

t.test(
  'stolen refresh token used after the window, with the new access token in use: the session ends',
  async (t) => {
    await eachStore(t, async (t, { store, age }) => {
      const sessions = openSessionStore(store);
      await startTwo(sessions);
      await sessions.rotate({ ...PHONE, generation: 1 }, RULES);
      await sessions.proveUsed({ ...PHONE, generation: 2 });
      await age(RULES.windowMs);
      t.strictSame(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), { outcome: 'reuse' });
      t.strictSame(await sessions.rotate({ ...PHONE, generation: 2 }, RULES), { outcome: 'revoked' });
    });
  },
);

t.test(
  'a generation refreshed within the window counts as used: the previous one is not a lost response',
  async (t) => {
    await eachStore(t, async (t, { store, age }) => {
      const sessions = openSessionStore(store);
      await startTwo(sessions);
      const refresh = (generation: number) => sessions.rotate({ ...PHONE, generation }, RULES);
      t.match(await refresh(1), { outcome: 'rotated', generation: 2 });
      t.match(await refresh(2), { outcome: 'current', generation: 2 });
      t.match(await refresh(1), { outcome: 'current', generation: 2 }, 'a tab that was slower');
      await age(RULES.windowMs + 3000);
      t.strictSame(await refresh(1), { outcome: 'reuse' });
      t.strictSame(await refresh(2), { outcome: 'revoked' });
    });
  },
);

t.test('stolen refresh token under strict single use: the second use ends the session at once', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const sessions = openSessionStore(store);
    await startTwo(sessions);
    t.match(await sessions.rotate({ ...PHONE, generation: 1 }, STRICT), { generation: 2 });
    t.strictSame(await sessions.rotate({ ...PHONE, generation: 1 }, STRICT), { outcome: 'reuse' });
    t.strictSame(await sessions.rotate({ ...PHONE, generation: 2 }, STRICT), { outcome: 'revoked' });
  });
});

t.test('reuse state survives a process restart and a wrong process clock', async (t) => {
  await eachStore(t, async (t, place) => {
    const before = openSessionStore(place.store);
    await startTwo(before);
    for (const generation of [1, 2]) {
      await before.rotate({ ...PHONE, generation }, RULES);
      await place.age(HOUR);
    }
    await before.end(LAPTOP);

    const after = openSessionStore(await place.reopen());
    // Redis ignores the process's clock; the embedded store uses it.
    const RealDate = Date.now;
    t.teardown(() => {
      Date.now = RealDate;
    });
    for (const shiftMs of [-2 * HOUR, 2 * HOUR]) {
      Date.now = () => RealDate() + shiftMs;
      t.strictSame(await after.rotate({ ...LAPTOP, generation: 1 }, RULES), { outcome: 'revoked' });
    }
    t.strictSame(await after.rotate({ ...PHONE, generation: 1 }, RULES), { outcome: 'reuse' });
    t.strictSame(await after.rotate({ ...PHONE, generation: 3 }, RULES), { outcome: 'revoked' });
  });
});
