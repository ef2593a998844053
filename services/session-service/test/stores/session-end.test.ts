// How sessions end, on every kind of store: a note in the same step, a stolen refresh token, and the maximum age.

import { eachStore, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { MAX_NOTES, type SessionEnd } from '../../src/domain/session-end.js';
import { openSessionStore } from '../../src/stores/open-session-store.js';
import type { SessionStore } from '../../src/stores/session-store.js';
import { heldFrom, logIn, refresh, startNode, userDirectory, withBearer } from '../support/session-node.js';
import { AGENT, DAY, HOUR, LAPTOP, PHONE, RULES, SECOND } from '../support/session-rules.js';

const KEEP_MS = 7 * DAY;
const ADDRESS = '0123456789abcdef'.repeat(2);
const STRICT = { ...RULES, windowMs: 0 };
const ANN = 'ann@example.com';
const SESSION = { uid: 1, sid: 'a'.repeat(22) };

// Notes, stored for a while in the step that ends the session.

t.test('every session end stores a note with its reason, its time and the address pseudonym', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store, KEEP_MS);
    const noted = async (sid: string, about: Partial<SessionEnd>) => {
      const { nowMs, known } = await sessions.find(sid, 7);
      if (known === undefined || !('end' in known)) throw new Error(`no note of ${sid}`);
      const { atMs, ...rest } = known.end;
      t.strictSame(rest, { sid, ...about });
      t.ok(nowMs - atMs >= 0 && nowMs - atMs < 5 * SECOND, 'on the clock of the store');
    };
    const start = (sid: string, endSid?: string) =>
      sessions.start({ uid: 7, sid, address: ADDRESS, ...AGENT, ...(endSid && { endSid }) }, RULES);

    await start('a');
    await sessions.end({ uid: 7, sid: 'a' }, { reason: 'logout', address: ADDRESS });
    await noted('a', { reason: 'logout', address: ADDRESS });
    for (const sid of ['b', 'c', 'd']) {
      await start(sid);
      await age(SECOND);
    }
    await sessions.endListed(7, ['b', 'c', 'x'], { reason: 'others_revoked' });
    await noted('b', { reason: 'others_revoked' });
    await noted('c', { reason: 'others_revoked' });
    t.equal((await sessions.find('x', 7)).known, undefined, 'what was not there has no end');
    await start('e', 'd');
    await noted('d', { reason: 'login', address: ADDRESS });

    for (const sid of ['f', 'g', 'h']) {
      await age(SECOND);
      await start(sid);
    }
    await noted('e', { reason: 'evicted', address: ADDRESS });

    await sessions.rotate({ uid: 7, sid: 'f', generation: 1 }, RULES);
    await age(RULES.windowMs);
    await sessions.rotate({ uid: 7, sid: 'f', generation: 2 }, RULES);
    await age(RULES.windowMs);
    const old = { uid: 7, sid: 'f', generation: 1, address: ADDRESS };
    t.strictSame(await sessions.rotate(old, RULES), { outcome: 'reuse' });
    await noted('f', { reason: 'reuse', address: ADDRESS, presented: 1, current: 3 });
    t.strictSame(await sessions.rotate(old, RULES), { outcome: 'revoked' });
    await sessions.end(old, { reason: 'logout' });
    await noted('f', { reason: 'reuse', address: ADDRESS, presented: 1, current: 3 });
  });
});

t.test('a reuse note says why the previous generation was not treated as a lost response', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const sessions = openSessionStore(store, KEEP_MS);
    const strict = { ...RULES, windowMs: 0 };
    const spent = { ...RULES, windowMs: 1, recoveries: 0 };
    for (const [unrecovered, rules] of [
      ['strict', strict],
      ['spent', spent],
      ['used', strict],
    ] as const) {
      const session = { uid: 7, sid: unrecovered };
      await sessions.start({ ...session, ...AGENT }, RULES);
      await sessions.rotate({ ...session, generation: 1 }, RULES);
      if (unrecovered === 'used') await sessions.proveUsed({ ...session, generation: 2 });
      // The window of one millisecond may still be open.
      let outcome = '';
      while (outcome !== 'reuse') {
        ({ outcome } = await sessions.rotate({ ...session, generation: 1, address: ADDRESS }, rules));
      }
      const { known } = await sessions.find(unrecovered, 7);
      if (known === undefined || !('end' in known)) throw new Error(`no note of ${unrecovered}`);
      const { atMs, ...note } = known.end;
      t.strictSame(note, {
        sid: unrecovered,
        reason: 'reuse',
        address: ADDRESS,
        presented: 1,
        current: 2,
        unrecovered,
      });
    }
  });
});

t.test('the step that finds an expired session notes it with its expiry time', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store, KEEP_MS);
    const brief = { ...RULES, refreshTtlMs: HOUR };
    const aged = { ...RULES, maxAgeMs: HOUR };
    const expiredAnHourAgo = async (sid: string, reason: string) => {
      const { nowMs, known } = await sessions.find(sid, 7);
      if (known === undefined || !('end' in known)) throw new Error(`no note of ${sid}`);
      t.equal(known.end.reason, reason);
      t.ok(Math.abs(nowMs - known.end.atMs - HOUR) < 5 * SECOND);
    };
    await sessions.start({ uid: 7, sid: 'refreshed', ...AGENT }, brief);
    await sessions.start({ uid: 7, sid: 'listed', ...AGENT }, aged);
    await sessions.start({ uid: 7, sid: 'stays', ...AGENT }, RULES);
    await age(2 * HOUR);
    const dead = await sessions.find('listed', 7);
    t.match(dead, { known: { uid: 7, record: { generation: 1 } } }, 'its record is still there');
    await sessions.rotate({ uid: 7, sid: 'refreshed', generation: 1 }, RULES);
    await expiredAnHourAgo('refreshed', 'expired');
    await sessions.endListed(7, ['listed'], { reason: 'logout' });
    await expiredAnHourAgo('listed', 'max_age');

    await sessions.start({ uid: 7, sid: 'started', ...AGENT }, brief);
    await age(2 * HOUR);
    await sessions.start({ uid: 7, sid: 'next', ...AGENT }, RULES);
    await expiredAnHourAgo('started', 'expired');
  });
});

t.test('a note is stored for the configured time, or not at all if that is zero', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store, KEEP_MS);
    for (const session of [PHONE, LAPTOP]) await sessions.start({ ...session, ...AGENT }, RULES);
    await sessions.end(PHONE, { reason: 'logout' });
    await age(KEEP_MS - HOUR);
    t.match((await sessions.find('phone', 7)).known, { end: { reason: 'logout' } });
    await sessions.start({ uid: 7, sid: 'tablet', ...AGENT }, RULES);
    await age(2 * HOUR);
    t.equal((await sessions.find('phone', 7)).known, undefined);
    await sessions.end({ uid: 7, sid: 'tablet' }, { reason: 'logout' });
    t.match((await sessions.find('tablet', 7)).known, { end: { reason: 'logout' } });

    const silent = openSessionStore(store);
    await silent.start({ uid: 8, sid: 'a', ...AGENT }, RULES);
    await silent.end({ uid: 8, sid: 'a' }, { reason: 'logout' });
    await sessions.start({ uid: 8, sid: 'b', ...AGENT }, RULES);
    await sessions.end({ uid: 8, sid: 'b' });
    for (const sid of ['a', 'b']) t.equal((await sessions.find(sid, 8)).known, undefined);
  });
});

t.test("the next note removes older due ones, although it extends the key's expiry", async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store, KEEP_MS);
    for (const sid of ['a', 'b', 'c']) {
      await sessions.start({ uid: 7, sid, ...AGENT }, RULES);
      await sessions.end({ uid: 7, sid }, { reason: 'logout' });
      await age(KEEP_MS / 2 + HOUR);
    }
    t.equal((await sessions.find('a', 7)).known, undefined);
    t.match((await sessions.find('c', 7)).known, { end: { reason: 'logout' } });
  });
});

t.test('logging in and out in a loop does not fill the memory', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const sessions = openSessionStore(store, KEEP_MS);
    for (let times = 0; times <= MAX_NOTES; times++) {
      await sessions.start({ uid: 7, sid: `s${times}`, ...AGENT }, RULES);
      await sessions.end({ uid: 7, sid: `s${times}` }, { reason: 'logout' });
    }
    t.equal((await sessions.find('s0', 7)).known, undefined, 'the oldest has made room');
    t.match((await sessions.find('s1', 7)).known, { end: { reason: 'logout' } });
    t.match((await sessions.find(`s${MAX_NOTES}`, 7)).known, { end: { reason: 'logout' } });
    if (store.kind === 'redis') t.equal(await store.client.llen('session:{7}:ended'), MAX_NOTES);
  });
});

t.test('logging in again in a loop does not fill the memory, nor does a reuse', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const sessions = openSessionStore(store, KEEP_MS);
    const noted = async (sid: string) => (await sessions.find(sid, 7)).known;
    const bySid = (n: number) => `s${n}`;
    await sessions.start({ uid: 7, sid: bySid(0), ...AGENT }, RULES);
    for (let n = 0; n <= MAX_NOTES; n++)
      await sessions.start({ uid: 7, sid: bySid(n + 1), endSid: bySid(n), ...AGENT }, RULES);
    t.equal(await noted(bySid(0)), undefined, 'the oldest has made room');
    t.match(await noted(bySid(1)), { end: { reason: 'login' } });

    const last = { uid: 7, sid: bySid(MAX_NOTES + 1) };
    await sessions.rotate({ ...last, generation: 1 }, STRICT);
    t.strictSame(await sessions.rotate({ ...last, generation: 1 }, STRICT), { outcome: 'reuse' });
    t.equal(await noted(bySid(1)), undefined);
    t.match(await noted(bySid(2)), { end: { reason: 'login' } }, 'one makes room for one');
    t.match(await noted(last.sid), { end: { reason: 'reuse' } });
    if (store.kind === 'redis') t.equal(await store.client.llen('session:{7}:ended'), MAX_NOTES);
  });
});

t.test('a session is found by its id alone, live or ended, among all users', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const sessions = openSessionStore(store, KEEP_MS);
    t.equal((await sessions.find('s1')).known, undefined, 'in an empty store');
    for (let uid = 1; uid <= 1200; uid += 100) {
      await Promise.all(
        Array.from({ length: 100 }, (_, at) =>
          sessions.start({ uid: uid + at, sid: `s${uid + at}`, ...AGENT }, RULES),
        ),
      );
    }
    for (const uid of [1, 600]) await sessions.end({ uid, sid: `s${uid}` }, { reason: 'admin' });
    for (const uid of [1, 600]) {
      t.match((await sessions.find(`s${uid}`)).known, { uid, end: { reason: 'admin' } });
      t.equal((await sessions.find(`s${uid}`, uid + 1)).known, undefined, 'of that user alone');
    }
    for (const uid of [2, 1200])
      t.match((await sessions.find(`s${uid}`)).known, { uid, record: { used: 0 } });
    const { nowMs, known } = await sessions.find('s1201');
    t.equal(known, undefined);
    t.ok(Math.abs(nowMs - (await store.timeMs())) < 5 * SECOND);
  });
});

t.test('a Redis out of memory still ends sessions', async (t) => {
  const { store, redis } = await redisStore(t);
  const sessions = openSessionStore(store, KEEP_MS);
  await sessions.start({ ...PHONE, ...AGENT }, RULES);
  await sessions.start({ ...LAPTOP, ...AGENT }, RULES);
  await sessions.rotate({ ...LAPTOP, generation: 1 }, RULES);
  await sessions.rotate({ ...LAPTOP, generation: 2 }, { ...RULES, windowMs: 0 });
  await redis.client.config('SET', 'maxmemory', '1');
  t.equal(await sessions.end(PHONE, { reason: 'logout' }), true);
  t.strictSame(await sessions.rotate({ ...LAPTOP, generation: 1 }, RULES), { outcome: 'reuse' });
  t.strictSame(await sessions.list(7), []);
});

t.test('a refresh and a session end are one command each, including the notes', async (t) => {
  const { store, redis } = await redisStore(t);
  const sessions = openSessionStore(store, KEEP_MS);
  const everything = async () => {
    await sessions.start({ ...PHONE, ...AGENT }, RULES);
    await sessions.rotate({ ...PHONE, generation: 1, address: ADDRESS }, RULES);
    await sessions.end(PHONE, { reason: 'logout' });
  };
  await everything();
  const commands = await redis.commands(everything);
  t.strictSame(
    commands.map((command) => command.split(' ')[0]),
    ['evalsha', 'evalsha', 'evalsha'],
  );
});

// A stolen refresh token, used by both thief and owner.

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

// The result for a session past its maximum lifetime, without any record in the store.

const SHORT_RULES = {
  windowMs: 0,
  recoveries: 4,
  refreshTtlMs: 60_000,
  notRememberedTtlMs: 60_000,
  maxAgeMs: 90_000,
  maxSessions: 50,
};

t.test('a user’s only session beyond its maximum age is expired, not revoked', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store);
    const started = await sessions.start({ ...SESSION, userAgent: 'test' }, SHORT_RULES);
    const expiresAtMs = started.nowMs + SHORT_RULES.refreshTtlMs;
    const ask = (ms: number) => sessions.rotate({ ...SESSION, generation: 1, expiresAtMs: ms }, SHORT_RULES);
    await age(SHORT_RULES.maxAgeMs + 1);
    // Ageing changes the times in Redis, but not in the token.
    const isOver = store.kind === 'redis' ? expiresAtMs - SHORT_RULES.maxAgeMs - 1 : expiresAtMs;
    t.strictSame(await ask(isOver), { outcome: 'expired' });
    t.strictSame(await ask(isOver), { outcome: 'expired' }, 'nor is anything kept that would tell it');
    t.strictSame(await ask(isOver + 600_000), { outcome: 'revoked' }, 'a token that lives on was ended');
  });
});

t.test('a refresh after SESSION_MAX_AGE is expired, one after a logout is revoked', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const env = { SESSION_MAX_AGE: '1', ACCESS_TTL: '1' };
    const directory = await userDirectory(t, ANN);
    const node = await startNode(t, { store, directory, env });
    const held = await logIn(node, ANN);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const answer = await refresh(node, held);
    t.match([answer.statusCode, answer.json().code], [401, 'session_expired']);

    const lasting = await startNode(t, { store, directory });
    const ended = heldFrom(await refresh(lasting, await logIn(lasting, ANN)));
    await withBearer(lasting, 'POST', '/logout', ended);
    t.equal((await refresh(lasting, ended)).json().code, 'session_revoked');
  });
});
