// The cache keeps recently used entries and never grows beyond its bound.

import t from 'tap';
import { createLruCache } from '../../src/cache/bounded-maps.js';

t.test('the most recent entries are kept, older ones are not', async (t) => {
  const map = createLruCache<number>(3);
  for (let n = 0; n < 100; n++) {
    map.set(`${n}`, n);
    t.equal(map.get(`${n}`), n);
    for (const recent of [n - 1, n - 2].filter((n) => n >= 0)) t.equal(map.get(`${recent}`), recent);
  }
  const kept = Array.from({ length: 100 }, (_, n) => map.get(`${n}`)).filter((value) => value !== undefined);
  t.ok(kept.length <= 6, `${kept.length} are kept`);
});

t.test('a frequently used entry outlives any number of others', async (t) => {
  const map = createLruCache<number>(3);
  map.set('asked', 7);
  for (let n = 0; n < 100; n++) {
    map.set(`${n}`, n);
    t.equal(map.get('asked'), 7);
  }
});

t.test('a value can be replaced, and an unknown key has none', async (t) => {
  const map = createLruCache<string>(2);
  map.set('a', 'one');
  map.set('a', 'two');
  t.equal(map.get('a'), 'two');
  t.equal(map.get('b'), undefined);
  t.equal(map.get('__proto__'), undefined);
});
