// The load reports of all processes, on every store.

import { setTimeout as pause } from 'node:timers/promises';
import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { loadKeys, openLoadRecord, parseLoadState, SILENT_MS } from '../../src/load/load-record.js';
import { FULL_LOAD } from '../../src/pow/load.js';

const REPORT = { issued: 5, refused: 1, queues: { passwords: 0.5 } };
const OTHER = { issued: 2, refused: 0, queues: { passwords: 1.5, drawings: 0.25 } };

t.test('reports are added up while they are fresh, and an ended process is removed', async (t) => {
  await eachStore(t, async (t, { store, age, redis, reopen }) => {
    const record = openLoadRecord(store, 'captcha');
    const empty = await record.report('reader');
    t.match(empty, { stateText: '', byHand: null, sum: { processes: 0, issued: 0, refused: 0 } });
    t.match((await record.report('one', REPORT)).sum, { processes: 1, queues: { drawings: 0 } });
    t.strictSame((await openLoadRecord(await reopen(), 'captcha').report('two', OTHER)).sum, {
      processes: 2,
      issued: 7,
      refused: 1,
      queues: { passwords: 1, drawings: 0.25 },
    });
    const record2 = store.kind === 'embedded' ? openLoadRecord(await reopen(), 'captcha') : record;
    t.match(
      (await record2.report('one', REPORT)).sum,
      { processes: 2, issued: 7 },
      'a repeated one counts once',
    );
    t.match((await record2.report('two', null)).sum, { processes: 1, issued: 5 }, 'one that ends');
    await age(SILENT_MS);
    t.match((await record2.report('reader')).sum, { processes: 0, issued: 0 }, 'one that is silent');
    t.match(
      (await openLoadRecord(store.kind === 'embedded' ? await reopen() : store, 'other').report('x')).sum,
      {
        processes: 0,
      },
    );
    if (redis === undefined) return;
    await record.raise(4, 60_000);
    await record.report('one', REPORT);
    const keys = Object.values(loadKeys('captcha'));
    t.strictSame((await redis.client.keys('*')).sort(), keys.sort());
    for (const key of keys) t.ok((await redis.client.pttl(key)) > 0, `${key} expires`);
  });
});

t.test("the rule's state is changed once, by the process that knows the current one", async (t) => {
  await eachStore(t, async (t, { store }) => {
    const record = openLoadRecord(store, 'captcha');
    const state = { level: 1, heldMs: 1_700_000_000_000, overMs: 0 };
    const change = { from: '', to: state };
    const { stateText } = await record.report('one', undefined, change);
    t.strictSame(parseLoadState(stateText), state);
    const late = { from: '', to: { ...state, level: 2 } };
    t.equal((await record.report('two', undefined, late)).stateText, stateText, 'somebody was faster');
    t.equal(
      (await record.report('one', undefined, change)).stateText,
      stateText,
      'a repetition changes nothing',
    );
    const next = { from: stateText, to: { ...state, level: 2 } };
    t.equal(parseLoadState((await record.report('two', undefined, next)).stateText)?.level, 2);
  });
});

t.test('a manual price increase ends by itself, or at once', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const record = openLoadRecord(store, 'captcha');
    const byHand = async () => (await record.report('reader')).byHand;
    t.equal(await record.raise(4, 3_600_000), false);
    const raised = await byHand();
    t.equal(raised?.bits, 4);
    t.ok(raised !== null && raised.leftMs > 3_590_000 && raised.leftMs <= 3_600_000);
    t.equal(await record.raise(2, 60_000), true, 'the last word counts');
    t.match(await byHand(), { bits: 2 });
    await age(60_000);
    t.equal(await byHand(), null);
    await record.raise(3, 60_000);
    t.equal(await record.raise(0, 0), true);
    await pause(5);
    t.equal(await byHand(), null);
    t.equal(await record.raise(0, 0), false);
  });
});

t.test('a process with false reports counts as one at most, or not at all', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const record = openLoadRecord(store, 'captcha');
    const sane = { issued: 1, refused: 0, queues: { passwords: 0.5, drawings: 0 } };
    await record.report('one', sane);
    for (const queues of [
      { passwords: 2.5 },
      { passwords: -1 },
      { passwords: Number.NaN },
      { drawings: 1e9 },
    ]) {
      const { sum } = await record.report('liar', { issued: 1, refused: 0, queues });
      t.strictSame(sum, { processes: 1, ...sane });
    }
    const most = { issued: 1e300, refused: -1, queues: { passwords: FULL_LOAD } };
    t.strictSame((await record.report('liar', most)).sum, { processes: 1, ...sane });
    const { sum } = await record.report('liar', { ...most, refused: 0, issued: 1 });
    t.equal(sum.queues.passwords, (0.5 + FULL_LOAD) / 2);
    for (const text of ['', 'x', '1 2', '-1 1 1', '100 1 1', '1 9999999999999999 1']) {
      t.equal(parseLoadState(text), null, text);
    }
  });
});
