// The bounded map drops the oldest entries, and nothing else.

import t from 'tap';
import { createBoundedMap } from '../../src/cache/bounded-maps.js';

t.test('above the bound the oldest entry is dropped', async (t) => {
  const map = createBoundedMap<number>(2);
  for (const [at, key] of ['a', 'b', 'a', 'c'].entries()) map.set(key, at);
  t.equal(map.get('b'), undefined);
  t.equal(map.get('a'), 2);
  t.equal(map.get('c'), 3);
});

t.test('after many drops exactly the newest entries remain', async (t) => {
  const most = 100;
  const map = createBoundedMap<number>(most);
  // The newest last. Every third entry repeats a present or a dropped one.
  let expected: string[] = [];
  for (let n = 0; n < 20_000; n++) {
    const key = `${n % 3 === 0 ? (n * 7919) % 250 : n}`;
    map.set(key, n);
    expected = [...expected.filter((other) => other !== key), key].slice(-most);
    if (n % 500 !== 0) continue;
    t.ok(
      expected.every((kept) => map.get(kept) !== undefined),
      `${n}: all of the newest are there`,
    );
    const held = Array.from({ length: n + 250 }, (_, at) => map.get(`${at}`)).filter(
      (value) => value !== undefined,
    );
    t.equal(held.length, expected.length, `${n}: nothing else is there`);
  }
});
