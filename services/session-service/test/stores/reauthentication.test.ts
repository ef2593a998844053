// The reauthentication contract, on every store.

import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openSessionStore } from '../../src/stores/open-session-store.js';
import { AGENT, DAY, PHONE, RULES } from '../support/session-rules.js';

const CODE = { amr: 'hwk,user', auth_time: '1795309848000' };

t.test("it replaces only the authentication's method and time", async (t) => {
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
