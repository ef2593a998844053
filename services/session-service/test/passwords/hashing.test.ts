// The limit on running and waiting hashes, and the dummy hash against which unknown accounts are verified.

import t from 'tap';
import { CURRENT_COST, hashCost, makeDummyHash } from '../../src/passwords/password-hash.js';
import {
  createDummyHash,
  createHashingQueue,
  HashingOverloadedError,
  hashingLimits,
} from '../../src/passwords/sign-in.js';

const BCRYPT = '$2b$12';
const SCRYPT = '$scrypt$ln=15,r=8,p=1';

// The queue.

/** Work that ends on command. */
function stoppable() {
  let started = 0;
  const stops: (() => void)[] = [];
  return {
    stops,
    started: () => started,
    work: () => {
      started += 1;
      return new Promise<number>((resolve) => stops.push(() => resolve(stops.length)));
    },
  };
}

t.test('the configured numbers run and wait, and the next is rejected without a start', async (t) => {
  const queue = createHashingQueue({ running: 2, waiting: 3 });
  const { work, started, stops } = stoppable();
  const accepted = Array.from({ length: 5 }, () => queue.run(work));
  t.strictSame(queue.load, { running: 2, waiting: 3 });
  t.ok(queue.isFull);
  t.equal(started(), 2);
  await t.rejects(queue.run(work), HashingOverloadedError);
  t.equal(started(), 2);

  stops[0]?.();
  await accepted[0];
  t.strictSame(queue.load, { running: 2, waiting: 2 });
  t.notOk(queue.isFull);
  const late = queue.run(work);
  t.equal(started(), 3, 'the next waiter got the slot');
  for (let i = 1; i < 6; i++) {
    stops[i]?.();
    await (i < 5 ? accepted[i] : late);
  }
  t.strictSame(queue.load, { running: 0, waiting: 0 });
});

t.test('failed work frees its slot and fails only for its caller', async (t) => {
  const queue = createHashingQueue({ running: 1, waiting: 5 });
  const results = await Promise.allSettled([
    queue.run(async () => 1),
    queue.run(() => Promise.reject(new Error('failed'))),
    queue.run(() => {
      throw new Error('thrown');
    }),
    queue.run(async () => 4),
  ]);
  t.strictSame(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  );
  t.strictSame(queue.load, { running: 0, waiting: 0 });
});

t.test('nothing waits if the limit is zero', async (t) => {
  const queue = createHashingQueue({ running: 1, waiting: 0 });
  const { work, stops } = stoppable();
  const first = queue.run(work);
  await t.rejects(queue.run(work), HashingOverloadedError);
  stops[0]?.();
  await first;
  t.equal(await queue.run(async () => 'ran'), 'ran');
});

t.test('on eight cores seven hashes counted as running, and Node ran four', async (t) => {
  t.strictSame(hashingLimits(8, 4), { running: 4, waiting: 128 });
  t.strictSame(hashingLimits(8, 16), { running: 7, waiting: 224 });
  t.strictSame(hashingLimits(2, 4), { running: 1, waiting: 32 });
  t.strictSame(hashingLimits(1, 4), { running: 1, waiting: 32 });
});

// The dummy hash.

t.test('it starts with the cost of new hashes', async (t) => {
  t.equal(hashCost(createDummyHash().value), CURRENT_COST);
});

t.test('one user is enough to learn the cost of a directory with uniform hashes', async (t) => {
  const dummyHash = createDummyHash();
  dummyHash.note(1, makeDummyHash(BCRYPT));
  t.equal(hashCost(dummyHash.value), BCRYPT);
});

t.test('the most common cost is used, and a tie keeps the current one', async (t) => {
  const dummyHash = createDummyHash();
  const dummies = [BCRYPT, SCRYPT, SCRYPT, BCRYPT, BCRYPT].map((cost, id) => {
    dummyHash.note(id, makeDummyHash(cost));
    return dummyHash.value;
  });
  t.strictSame(dummies.map(hashCost), [BCRYPT, BCRYPT, SCRYPT, SCRYPT, BCRYPT]);
  t.equal(dummies[0], dummies[1], 'and the dummy hash stays the same with it');
});

t.test('a user counts once, with the newest hash', async (t) => {
  const dummyHash = createDummyHash();
  for (const id of [1, 2]) dummyHash.note(id, makeDummyHash(BCRYPT));
  for (let times = 0; times < 100; times++) dummyHash.note(3, makeDummyHash(CURRENT_COST));
  t.equal(hashCost(dummyHash.value), BCRYPT, 'repeated logins shift nothing');
  dummyHash.note(1, makeDummyHash(CURRENT_COST));
  t.equal(hashCost(dummyHash.value), CURRENT_COST, 'a replaced hash counts with its new cost');
});

t.test('a text that is not a hash is not counted', async (t) => {
  const dummyHash = createDummyHash();
  for (const [id, text] of ['', '!', '$5$x', '$2b$31$x'].entries()) dummyHash.note(id, text);
  t.equal(hashCost(dummyHash.value), CURRENT_COST);
});

t.test('it remembers a limited number of users and forgets the oldest', async (t) => {
  const dummyHash = createDummyHash();
  for (let id = 0; id < 5000; id++) dummyHash.note(id, makeDummyHash(BCRYPT));
  for (let id = 0; id < 1000; id++) dummyHash.note(id + 5000, makeDummyHash(SCRYPT));
  dummyHash.note(1, makeDummyHash(CURRENT_COST));
  t.equal(hashCost(dummyHash.value), SCRYPT);
  for (let id = 0; id < 501; id++) dummyHash.note(id, makeDummyHash(BCRYPT));
  t.equal(hashCost(dummyHash.value), BCRYPT);
});
