// The maximum wait of one request for unresponsive stores.

import { startRedis } from '@tollgate/test-support/redis-server.js';
import t from 'tap';
import { openStore, waitForStore } from '../../src/store/open-store.js';
import { newAnswerLimit, StoreUnavailableError, underLimit, waitForAnswer } from '../../src/store/store.js';

t.test("after a vain wait a request's further commands wait only briefly", async (t) => {
  const redis = await startRedis(t);
  const store = openStore(redis.url, '');
  t.teardown(() => store.close());
  await waitForStore(store, 2000);
  const operations = { read: store.read, exchange: store.exchange };

  const limit = newAnswerLimit();
  t.equal(underLimit(null, operations), operations);
  t.equal(underLimit(limit, operations), operations, 'nothing is used up yet');
  t.equal(await waitForAnswer(limit, store.read('none')), undefined);
  t.equal(limit.leftMs, 500, 'an answer that comes uses up no time');
  await t.rejects(waitForAnswer(limit, Promise.reject(new TypeError('a bug'))), TypeError);
  t.equal(limit.leftMs, 500, 'nor does what no store has failed');

  redis.freeze();
  await t.rejects(waitForAnswer(limit, store.read('none')), StoreUnavailableError);
  t.ok(limit.leftMs < 50, `${limit.leftMs} ms are left`);
  const sinceMs = performance.now();
  const again = underLimit(limit, operations);
  await t.rejects(again.read('none'), StoreUnavailableError);
  await t.rejects(again.exchange('key', 'value', 1000), StoreUnavailableError);
  t.ok(performance.now() - sinceMs < 400, 'both gave up before the client does');

  redis.thaw();
  await waitForStore(store, 5000);
  t.equal(await underLimit(newAnswerLimit(), operations).read('none'), undefined);
});
