// The rotation rule, case by case.

import t from 'tap';
import { decideRotation } from '../../src/domain/rotation.js';
import { NOT_REMEMBERED, type SessionRecord } from '../../src/domain/session-record.js';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const RULES = { windowMs: 30_000, recoveries: 2, refreshTtlMs: 7 * DAY, notRememberedTtlMs: DAY };
const STRICT = { ...RULES, windowMs: 0 };

const RECORD: SessionRecord = {
  expiresAtMs: NOW + DAY,
  lastUsedAtMs: NOW - DAY,
  createdAtMs: NOW - 3 * DAY,
  absoluteExpiresAtMs: NOW + 20 * DAY,
  rotatedAtMs: NOW - DAY,
  generation: 5,
  used: 4,
  recoveries: [],
  userAgent: 'a browser',
  attributes: { method: 'code' },
};
const ANSWERED = { ...RECORD, lastUsedAtMs: NOW, expiresAtMs: NOW + 7 * DAY };

t.test('a session that does not exist is revoked', async (t) => {
  t.strictSame(decideRotation(undefined, 1, NOW, RULES), { verdict: 'revoked', next: undefined });
});

t.test(
  'a session expires in the exact millisecond of its expiry, whichever generation is presented',
  async (t) => {
    for (const presented of [4, 5, 6]) {
      const record = { ...RECORD, expiresAtMs: NOW };
      t.strictSame(decideRotation(record, presented, NOW, RULES), { verdict: 'expired', next: undefined });
      t.not(decideRotation(record, presented, NOW - 1, RULES).verdict, 'expired');
    }
  },
);

t.test('the current generation rotates once the window is over', async (t) => {
  t.strictSame(decideRotation(RECORD, 5, NOW, RULES), {
    verdict: 'rotated',
    next: { ...ANSWERED, generation: 6, used: 5, rotatedAtMs: NOW },
  });
});

t.test('a session that ends with its browser gets a shorter lifetime, never a longer one', async (t) => {
  const record = { ...RECORD, attributes: { ...RECORD.attributes, ...NOT_REMEMBERED } };
  const longer = { ...RULES, notRememberedTtlMs: 30 * DAY };
  for (const presented of [4, 5, 6]) {
    t.match(decideRotation(record, presented, NOW, RULES), {
      next: { expiresAtMs: NOW + DAY, attributes: { method: 'code', remember: '0' } },
    });
    t.match(decideRotation(record, presented, NOW, longer), { next: { expiresAtMs: NOW + 7 * DAY } });
  }
});

t.test('the first refresh after a login always rotates', async (t) => {
  const fresh = { ...RECORD, generation: 1, used: 0, rotatedAtMs: 0, createdAtMs: NOW };
  t.match(decideRotation(fresh, 1, NOW, RULES), { verdict: 'rotated', next: { generation: 2, used: 1 } });
});

t.test('within the window the current and the previous generation get the current one again', async (t) => {
  for (const agoMs of [0, 1, 29_999]) {
    const record = { ...RECORD, rotatedAtMs: NOW - agoMs };
    for (const [presented, used] of [
      [4, 4],
      [5, 5],
    ] as const) {
      t.strictSame(decideRotation(record, presented, NOW, RULES), {
        verdict: 'current',
        next: { ...ANSWERED, used, rotatedAtMs: NOW - agoMs },
      });
    }
  }
  t.match(decideRotation({ ...RECORD, rotatedAtMs: NOW - 30_000 }, 5, NOW, RULES), { verdict: 'rotated' });
});

t.test('a lost response is recovered after the window', async (t) => {
  t.strictSame(decideRotation(RECORD, 4, NOW, RULES), {
    verdict: 'recovered',
    next: { ...ANSWERED, rotatedAtMs: NOW, recoveries: [{ generation: 5, atMs: NOW }] },
  });
});

t.test('a generation proven used is not recovered', async (t) => {
  for (const rules of [RULES, STRICT]) {
    t.strictSame(decideRotation({ ...RECORD, used: 5 }, 4, NOW, rules), {
      verdict: 'reuse',
      next: undefined,
      unrecovered: 'used',
    });
  }
});

t.test('a presented generation has arrived, also within the window: it is not recovered', async (t) => {
  const rotated = { ...RECORD, rotatedAtMs: NOW };
  const again = decideRotation(rotated, 5, NOW + 1, RULES).next;
  t.match(decideRotation(again, 4, NOW + 29_999, RULES), { verdict: 'current' }, 'a tab that was slower');
  t.strictSame(decideRotation(again, 4, NOW + 30_000, RULES), {
    verdict: 'reuse',
    next: undefined,
    unrecovered: 'used',
  });
  const restored = decideRotation(RECORD, 9, NOW, RULES).next;
  t.match(decideRotation(restored, 8, NOW + 30_000, RULES), { verdict: 'reuse', unrecovered: 'used' });
});

t.test('recoveries are counted by generation, for 24 hours', async (t) => {
  const spent = [
    { generation: 2, atMs: NOW - DAY + 1 },
    { generation: 3, atMs: NOW - 1 },
  ];
  t.strictSame(decideRotation({ ...RECORD, recoveries: spent }, 4, NOW, RULES), {
    verdict: 'reuse',
    next: undefined,
    unrecovered: 'spent',
  });
  t.strictSame(
    decideRotation({ ...RECORD, recoveries: spent }, 4, NOW + 1, RULES).next?.recoveries,
    [spent[1], { generation: 5, atMs: NOW + 1 }],
    'the oldest is forgotten after a day',
  );

  const counted = [
    { generation: 3, atMs: NOW - 2 },
    { generation: 5, atMs: NOW - 1 },
  ];
  t.strictSame(
    decideRotation({ ...RECORD, recoveries: counted }, 4, NOW, RULES).next?.recoveries,
    counted,
    'a generation counted already is recovered again and not counted again',
  );
  t.equal(decideRotation(RECORD, 4, NOW, { ...RULES, recoveries: 0 }).verdict, 'reuse');
});

t.test('an older generation is reuse, even within the window', async (t) => {
  for (const rotatedAtMs of [NOW - DAY, NOW]) {
    for (const presented of [1, 3]) {
      t.strictSame(decideRotation({ ...RECORD, rotatedAtMs }, presented, NOW, RULES), {
        verdict: 'reuse',
        next: undefined,
      });
    }
  }
});

t.test('a newer generation moves the store forward', async (t) => {
  t.strictSame(decideRotation(RECORD, 9, NOW, RULES), {
    verdict: 'rolled_forward',
    next: { ...ANSWERED, generation: 9, used: 9, rotatedAtMs: NOW },
  });
  t.match(decideRotation({ ...RECORD, used: 10 }, 9, NOW, RULES), { next: { used: 10 } }, 'used never falls');
});

t.test('a window of zero is strict single use', async (t) => {
  for (const rotatedAtMs of [0, NOW - DAY, NOW, NOW + 1]) {
    const record = { ...RECORD, rotatedAtMs };
    t.equal(decideRotation(record, 5, NOW, STRICT).verdict, 'rotated');
    t.match(decideRotation(record, 4, NOW, STRICT), { verdict: 'reuse', unrecovered: 'strict' });
    t.equal(decideRotation(record, 6, NOW, STRICT).verdict, 'rolled_forward');
  }
});

t.test("a last rotation in the clock's future opens no window", async (t) => {
  const near = { ...RECORD, rotatedAtMs: NOW + 30_000 };
  const far = { ...RECORD, rotatedAtMs: NOW + 30_001 };
  t.equal(decideRotation(near, 5, NOW, RULES).verdict, 'current');
  t.equal(decideRotation(far, 5, NOW, RULES).verdict, 'rotated');
  t.equal(decideRotation(far, 4, NOW, RULES).verdict, 'recovered');
});

t.test('no granted refresh outlives the absolute expiry', async (t) => {
  const record = { ...RECORD, absoluteExpiresAtMs: NOW + 1000 };
  for (const presented of [4, 5, 6]) {
    t.match(decideRotation(record, presented, NOW, RULES), { next: { expiresAtMs: NOW + 1000 } });
  }
});
