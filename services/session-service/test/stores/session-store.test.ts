// The session store contract, on every kind of store.

import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openSessionStore } from '../../src/stores/open-session-store.js';
import { AGENT, DAY, HOUR, LAPTOP, PHONE, RULES, SECOND } from '../support/session-rules.js';

const CODE = { amr: 'hwk,user', auth_time: '1795309848000' };

t.test('a started session is listed with its times', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const sessions = openSessionStore(store);
    const { nowMs, absoluteExpiresAtMs, evicted } = await sessions.start(
      { ...PHONE, userAgent: 'a\nbrowser' },
      RULES,
    );
    t.ok(Math.abs(nowMs - Date.now()) < 5 * SECOND);
    t.equal(absoluteExpiresAtMs, nowMs + RULES.maxAgeMs);
    t.strictSame(evicted, []);
    t.strictSame(await sessions.list(7), [
      {
        sid: 'phone',
        createdAtMs: nowMs,
        lastUsedAtMs: nowMs,
        expiresAtMs: nowMs + RULES.refreshTtlMs,
        userAgent: 'abrowser',
      },
    ]);
    t.strictSame(await sessions.list(8), [], 'another user has none');
  });
});

t.test('a repeated start changes nothing and returns the same result', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store);
    await sessions.start({ ...LAPTOP, ...AGENT }, RULES);
    const login = { ...PHONE, ...AGENT, endSid: 'laptop' };
    const first = await sessions.start(login, RULES);
    const listed = await sessions.list(7);
    t.equal(first.hasReplaced, true);
    t.strictSame(
      await sessions.start(login, RULES),
      { ...first, hasReplaced: false },
      'but for what it ended',
    );
    t.strictSame(await sessions.list(7), listed);
    t.strictSame(
      listed.map(({ sid }) => sid),
      ['phone'],
      'the presented session has ended',
    );
    t.match(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), { generation: 2 });
    await age(SECOND);
    await sessions.start(login, RULES);
    t.match(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), { outcome: 'current', generation: 2 });
  });
});

t.test('beyond the limit the least recently used sessions are evicted', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store);
    for (const sid of ['a', 'b', 'c']) {
      t.strictSame((await sessions.start({ uid: 7, sid, ...AGENT }, RULES)).evicted, []);
      await age(SECOND);
    }
    await sessions.rotate({ uid: 7, sid: 'a', generation: 1 }, RULES);
    await age(SECOND);
    t.strictSame((await sessions.start({ uid: 7, sid: 'd', ...AGENT }, RULES)).evicted, ['b']);
    await age(SECOND);
    const fewer = { ...RULES, maxSessions: 2 };
    t.strictSame((await sessions.start({ uid: 7, sid: 'e', ...AGENT }, fewer)).evicted, ['c', 'a']);
    t.strictSame(
      (await sessions.list(7)).map(({ sid }) => sid),
      ['e', 'd'],
      'the most recently used is listed first',
    );
    t.strictSame(await sessions.rotate({ uid: 7, sid: 'b', generation: 1 }, RULES), { outcome: 'revoked' });
  });
});

t.test('the session replaced by a login makes room, and expired ones do not count', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store);
    await sessions.start({ uid: 7, sid: 'dead', ...AGENT }, RULES);
    await age(6 * DAY);
    for (const sid of ['a', 'b']) await sessions.start({ uid: 7, sid, ...AGENT }, RULES);
    await age(DAY);
    t.strictSame((await sessions.start({ uid: 7, sid: 'c', ...AGENT }, RULES)).evicted, []);
    t.strictSame((await sessions.start({ uid: 7, sid: 'd', endSid: 'b', ...AGENT }, RULES)).evicted, []);
    t.strictSame((await sessions.list(7)).map(({ sid }) => sid).sort(), ['a', 'c', 'd']);
  });
});

t.test('a session keeps its attributes through every refresh, apart from its user agent', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store);
    const attributes = { method: 'code', strength: '2' };
    await sessions.start({ ...PHONE, ...AGENT, attributes }, RULES);
    await sessions.start({ ...LAPTOP, ...AGENT }, RULES);
    for (const generation of [1, 2]) {
      t.match(await sessions.rotate({ ...PHONE, generation }, RULES), { outcome: 'rotated', attributes });
      const other = await sessions.rotate({ ...LAPTOP, generation }, RULES);
      t.strictSame('attributes' in other && other.attributes, {});
      await age(RULES.windowMs);
    }
    for (const { userAgent } of await sessions.list(7)) t.equal(userAgent, AGENT.userAgent);
    t.match((await sessions.find('phone')).known, { record: { attributes, generation: 3 } });
  });
});

t.test('a session is refreshed generation by generation', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store);
    const { absoluteExpiresAtMs } = await sessions.start({ ...PHONE, ...AGENT }, RULES);
    for (const generation of [1, 2, 3]) {
      const verdict = await sessions.rotate({ ...PHONE, generation }, RULES);
      t.match(verdict, { outcome: 'rotated', generation: generation + 1 });
      const again = await sessions.rotate({ ...PHONE, generation }, RULES);
      t.match(again, { outcome: 'current', generation: generation + 1 });
      await age(RULES.windowMs);
    }
    const verdict = await sessions.rotate({ ...PHONE, generation: 4 }, RULES);
    t.equal(verdict.outcome, 'rotated');
    if (!('nowMs' in verdict)) return;
    t.ok(Math.abs(verdict.absoluteExpiresAtMs - absoluteExpiresAtMs) <= 3 * RULES.windowMs);
    t.match(await sessions.list(7), [
      { lastUsedAtMs: verdict.nowMs, expiresAtMs: verdict.nowMs + RULES.refreshTtlMs },
    ]);
  });
});

t.test('a lost response is recovered, unless its generation was proven used', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store);
    for (const session of [PHONE, LAPTOP]) {
      await sessions.start({ ...session, ...AGENT }, RULES);
      await sessions.rotate({ ...session, generation: 1 }, RULES);
    }
    await sessions.proveUsed({ ...LAPTOP, generation: 2 });
    await sessions.proveUsed({ ...LAPTOP, generation: 1 });
    await age(HOUR);
    t.match(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), {
      outcome: 'recovered',
      generation: 2,
    });
    t.strictSame(await sessions.rotate({ ...LAPTOP, generation: 1 }, RULES), { outcome: 'reuse' });
  });
});

t.test('proving a generation used creates no session', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const sessions = openSessionStore(store);
    await sessions.proveUsed({ ...PHONE, generation: 3 });
    t.strictSame(await sessions.list(7), []);
    await sessions.start({ ...PHONE, ...AGENT }, RULES);
    await sessions.proveUsed({ ...LAPTOP, generation: 3 });
    t.strictSame(
      (await sessions.list(7)).map(({ sid }) => sid),
      ['phone'],
    );
  });
});

t.test('a limited number of generations is recovered in 24 hours', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store);
    await sessions.start({ ...PHONE, ...AGENT }, RULES);
    const loseAnswer = async (generation: number) => {
      t.match(await sessions.rotate({ ...PHONE, generation }, RULES), { outcome: 'rotated' });
      await age(HOUR);
    };
    for (const generation of [1, 2, 3, 4]) {
      await loseAnswer(generation);
      t.match(await sessions.rotate({ ...PHONE, generation }, RULES), { outcome: 'recovered' });
      await age(HOUR);
    }
    t.match(await sessions.rotate({ ...PHONE, generation: 4 }, RULES), {
      outcome: 'recovered',
      generation: 5,
    });
    await age(HOUR);
    await loseAnswer(5);
    // The first of the four was recovered nine hours ago.
    await age(15 * HOUR);
    t.match(await sessions.rotate({ ...PHONE, generation: 5 }, RULES), { outcome: 'recovered' });
    await age(HOUR);
    await sessions.rotate({ ...PHONE, generation: 6 }, RULES);
    await age(30 * SECOND);
    t.strictSame(await sessions.rotate({ ...PHONE, generation: 6 }, RULES), { outcome: 'reuse' });
  });
});

t.test('a session expires without a refresh, and always at its absolute expiry', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store);
    await sessions.start({ ...PHONE, ...AGENT }, RULES);
    await age(6 * DAY);
    // Keeps the user's value, so that the other session's end is visible.
    await sessions.start({ ...LAPTOP, ...AGENT }, RULES);
    await age(DAY);
    t.strictSame(
      (await sessions.list(7)).map(({ sid }) => sid),
      ['laptop'],
    );
    t.strictSame(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), { outcome: 'expired' });
    t.strictSame(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), { outcome: 'revoked' });

    for (let generation = 1; generation <= 4; generation++) {
      t.match(await sessions.rotate({ ...LAPTOP, generation }, RULES), { outcome: 'rotated' });
      await age(6 * DAY);
    }
    t.match(await sessions.rotate({ ...LAPTOP, generation: 5 }, RULES), { outcome: 'rotated' });
    await sessions.start({ ...PHONE, ...AGENT }, RULES);
    await age(5 * DAY);
    t.strictSame(await sessions.rotate({ ...LAPTOP, generation: 6 }, RULES), { outcome: 'expired' });
  });
});

t.test('ending a session returns whether it was live, and leaves the others unchanged', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store);
    await sessions.start({ ...PHONE, ...AGENT }, RULES);
    await age(6 * DAY);
    await sessions.start({ ...LAPTOP, ...AGENT }, RULES);
    await age(DAY);
    t.equal(await sessions.end(PHONE), false, 'a dead one is none');
    t.equal(await sessions.end({ ...LAPTOP, uid: 8 }), false, "another user's is none");
    t.equal(await sessions.end(LAPTOP), true);
    t.equal(await sessions.end(LAPTOP), false);
    t.strictSame(await sessions.rotate({ ...LAPTOP, generation: 1 }, RULES), { outcome: 'revoked' });
  });
});

t.test('exactly the listed sessions are ended', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const sessions = openSessionStore(store);
    const startThree = async () => {
      for (const sid of ['a', 'b', 'c']) await sessions.start({ uid: 7, sid, ...AGENT }, RULES);
    };
    const left = async () => (await sessions.list(7)).map(({ sid }) => sid).sort();

    await startThree();
    t.strictSame((await sessions.endListed(7, ['c', 'a', 'x'])).sort(), ['a', 'c']);
    t.strictSame(await left(), ['b']);
    t.strictSame(await sessions.endListed(7, []), []);
    t.strictSame(await sessions.endListed(7, ['a', 'c']), []);
    t.strictSame(await sessions.endListed(7, ['b']), ['b']);
    t.strictSame(await left(), []);
  });
});

t.test('an invalid generation is rejected before a store query', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const sessions = openSessionStore(store);
    for (const generation of [0, -1, 1.5, Number.NaN, 2 ** 53]) {
      await t.rejects(sessions.rotate({ ...PHONE, generation }, RULES), RangeError);
      await t.rejects(sessions.proveUsed({ ...PHONE, generation }), RangeError);
    }
  });
});

t.test('200 parallel refreshes of one token make one step', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store);
    await sessions.start({ ...PHONE, ...AGENT }, RULES);
    for (const generation of [1, 2]) {
      const verdicts = await Promise.all(
        Array.from({ length: 200 }, () => sessions.rotate({ ...PHONE, generation }, RULES)),
      );
      t.ok(verdicts.every((verdict) => 'generation' in verdict && verdict.generation === generation + 1));
      t.equal(verdicts.filter(({ outcome }) => outcome === 'rotated').length, 1);
      await age(RULES.windowMs);
    }
  });
});

// Reauthentication.

t.test("a reauthentication replaces only the authentication's method and time", async (t) => {
  await eachStore(t, async (t, { store, age, clock }) => {
    const sessions = openSessionStore(store);
    const attributes = { remember: '0', amr: 'otp', auth_time: '1700000000000', other: 'x=y' };
    const started = await sessions.start({ ...PHONE, ...AGENT, attributes }, RULES);
    await age(3_600_000);
    const before = (await sessions.find(PHONE.sid, PHONE.uid)).known;

    const byCode = await sessions.reauthenticate(PHONE, CODE);
    t.match(byCode?.attributes, { remember: '0', other: 'x=y', ...CODE });
    t.equal(Object.keys(byCode?.attributes ?? {}).length, 4);
    const elapsedMs = (byCode?.nowMs ?? 0) - (byCode?.createdAtMs ?? 0);
    t.ok(elapsedMs >= 3_600_000 && elapsedMs < 3_605_000);
    t.equal((byCode?.absoluteExpiresAtMs ?? 0) - (byCode?.createdAtMs ?? 0), RULES.maxAgeMs);
    t.equal(started.absoluteExpiresAtMs - started.nowMs, RULES.maxAgeMs);

    const byPassword = await sessions.reauthenticate(PHONE);
    t.match(byPassword?.attributes, { remember: '0', amr: 'pwd', auth_time: String(byPassword?.nowMs) });
    t.ok(Math.abs((byPassword?.nowMs ?? 0) - clock()) < 5000);

    const after = (await sessions.find(PHONE.sid, PHONE.uid)).known;
    if (before === undefined || !('record' in before) || after === undefined || !('record' in after))
      throw new TypeError('the session is gone');
    t.strictSame({ ...after.record, attributes: {} }, { ...before.record, attributes: {} });
    const rotated = await sessions.rotate({ ...PHONE, generation: 1 }, RULES);
    t.match(rotated, { outcome: 'rotated', attributes: byPassword?.attributes });
  });
});

t.test('an application that omits method or time leaves it unknown', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const sessions = openSessionStore(store);
    await sessions.start({ ...PHONE, ...AGENT }, RULES);
    const renewed = await sessions.reauthenticate(PHONE, { amr: '', auth_time: '' });
    t.strictSame(renewed?.attributes, { amr: '', auth_time: '' });
    t.match(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), {
      attributes: { amr: '', auth_time: '' },
    });
  });
});

t.test('an expired, ended or unknown session cannot be reauthenticated', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store);
    t.equal(await sessions.reauthenticate(PHONE), undefined, 'unknown');
    await sessions.start({ ...PHONE, ...AGENT }, { ...RULES, refreshTtlMs: 60_000 });
    await sessions.start({ uid: PHONE.uid, sid: 'keeper', ...AGENT }, RULES);
    await age(61_000);
    t.equal(await sessions.reauthenticate(PHONE), undefined, 'over');
    await sessions.end({ uid: PHONE.uid, sid: 'keeper' }, { reason: 'logout' });
    t.equal(await sessions.reauthenticate({ uid: PHONE.uid, sid: 'keeper' }), undefined, 'ended');
    await age(DAY);
  });
});

t.test("a user's sessions and notes are erased without a trace, and nobody else's", async (t) => {
  await eachStore(t, async (t, { store }) => {
    const sessions = openSessionStore(store, DAY);
    const other = { uid: 70, sid: 'other' };
    for (const session of [PHONE, LAPTOP, other]) await sessions.start({ ...session, ...AGENT }, RULES);
    await sessions.end(LAPTOP, { reason: 'logout' });
    t.strictSame(await sessions.erase(7), { sessions: 1, ends: 1 });
    t.strictSame(await sessions.erase(7), { sessions: 0, ends: 0 });
    t.strictSame(await sessions.list(7), []);
    t.strictSame(await sessions.ends(7), []);
    t.match(await sessions.rotate({ ...PHONE, generation: 1 }, RULES), { outcome: 'revoked' });
    t.match(await sessions.list(70), [{ sid: 'other' }]);
  });
});
