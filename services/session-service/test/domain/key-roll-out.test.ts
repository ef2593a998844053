// Safe steps in a key change.

import fc from 'fast-check';
import t from 'tap';
import { acceptedKeys, keySteps, type ReportedRing, runningKeys } from '../../src/domain/key-roll-out.js';

const LIFE = 1000;
const REPORT = 100;
const NOW = 1_000_000;

const ring = (lists: readonly string[][], used: Record<string, number> = {}, sinceMs = 0): ReportedRing => ({
  nowMs: NOW,
  sinceMs,
  nodes: lists.map((ids) => ({ makes: true, ids })),
  lastUsedMs: (id) => used[id],
});
const steps = (reported: ReportedRing) => keySteps(reported, LIFE, REPORT);

t.test('the three rollouts, node by node', async (t) => {
  t.strictSame(steps(ring([])), [{ step: 'unknown' }]);
  t.strictSame(steps(ring([['old'], ['old']], { old: NOW })), [{ step: 'append' }]);
  t.strictSame(steps(ring([['old', 'new'], ['old']], { old: NOW })), [
    { step: 'finish', id: 'new', acceptedBy: 1, nodes: 2 },
  ]);
  const appended = [
    ['old', 'new'],
    ['old', 'new'],
  ];
  t.strictSame(steps(ring(appended, { old: NOW })), [
    { step: 'front', id: 'new', dropFromMs: REPORT + LIFE },
  ]);
  const mixed = [
    ['new', 'old'],
    ['old', 'new'],
  ];
  t.strictSame(steps(ring(mixed, { old: NOW, new: NOW })), [{ step: 'finish_front', ids: ['new', 'old'] }]);
  const fronted = [
    ['new', 'old'],
    ['new', 'old'],
  ];
  const usedAt = (old: number) => steps(ring(fronted, { old, new: NOW }));
  t.strictSame(usedAt(NOW), [{ step: 'wait', id: 'old', untilMs: NOW + REPORT + LIFE }]);
  t.strictSame(usedAt(NOW - REPORT - LIFE + 1), [{ step: 'wait', id: 'old', untilMs: NOW + 1 }]);
  t.strictSame(usedAt(NOW - REPORT - LIFE), [{ step: 'drop', id: 'old' }]);
  t.strictSame(steps(ring([['new'], ['new', 'old']], { old: 0, new: NOW })), [
    { step: 'finish', id: 'old', acceptedBy: 1, nodes: 2 },
  ]);
});

t.test('a verifying service must accept a key before its first use, and itself uses none', async (t) => {
  const nodes = [
    { makes: true, ids: ['old', 'new'] },
    { makes: false, ids: ['old'] },
  ];
  const reported = { ...ring([]), nodes };
  t.strictSame(steps(reported), [{ step: 'finish', id: 'new', acceptedBy: 1, nodes: 2 }]);
  t.strictSame(steps({ ...reported, nodes: nodes.slice(1) }), [{ step: 'unknown' }]);
});

t.test('a published key waits until caches contain it', async (t) => {
  const PUBLISH = 500;
  const stepsAt = (sinceBeganMs: number, used: Record<string, number> = {}, makes = true) => {
    const nodes = [0, 7].map((earlierMs) => ({
      makes,
      ids: ['old', 'new'],
      beganMs: NOW - sinceBeganMs - earlierMs,
    }));
    const reported = {
      ...ring([], { old: NOW, ...used }),
      nodes: [...nodes, { makes, ids: ['old', 'new'] }],
    };
    return keySteps({ ...reported, isServed: true }, LIFE, REPORT, PUBLISH);
  };
  const front = [{ step: 'front', id: 'new', dropFromMs: REPORT + LIFE }];
  t.strictSame(stepsAt(0), [{ step: 'publish', id: 'new', untilMs: NOW + PUBLISH }]);
  t.strictSame(
    stepsAt(PUBLISH - 1),
    [{ step: 'publish', id: 'new', untilMs: NOW + 1 }],
    'the last node counts',
  );
  t.strictSame(stepsAt(PUBLISH), front);
  t.strictSame(
    stepsAt(0, { new: NOW }),
    [{ step: 'wait', id: 'new', untilMs: NOW + REPORT + LIFE }],
    'it is in use',
  );
  const unpublished = {
    ...ring([], { old: NOW }),
    nodes: [{ makes: true, ids: ['old', 'new'], beganMs: NOW + 5 }],
  };
  t.strictSame(keySteps(unpublished, LIFE, REPORT), front, 'a clock that was set back publishes nothing');
});

t.test('the first key of a format is used once every node accepts it', async (t) => {
  const nodes = [{ makes: false, ids: ['new'] }];
  const served = { ...ring([]), nodes, isServed: true };
  t.strictSame(steps(served), [{ step: 'use', id: 'new' }]);
  t.strictSame(steps({ ...served, isServed: false }), [{ step: 'unknown' }]);
  t.strictSame(
    steps({ ...ring([]), nodes: [{ makes: true, ids: [] }] }),
    [{ step: 'unknown' }],
    'no key at all',
  );
});

t.test('a node reports keys in use separately from keys that it only accepts', async (t) => {
  const keys = (...ids: string[]) => ({ all: ids.map((id) => ({ id })) });
  const others = {
    refreshSecrets: keys('r'),
    encryptionKeys: keys('e1', 'e2'),
    challengeSecrets: keys('c'),
  };
  const rings = { ...others, accessSecrets: keys('a1', 'a2'), signingKeys: keys('s') };
  const ids = { REFRESH_SECRET: ['r'], ENCRYPTION_KEY: ['e1', 'e2'], CHALLENGE_SECRET: ['c'] };
  const [sealed, signed] = [{ ACCESS_SECRET: ['a1', 'a2'] }, { ACCESS_SIGNING_KEYS: ['s'] }];
  for (const format of ['sealed', undefined] as const) {
    const given = { ...rings, ...(format && { format }) };
    t.strictSame(runningKeys(given), { makes: true, ids: { ...sealed, ...ids } });
    t.strictSame(acceptedKeys(given), { makes: false, ids: signed });
  }
  t.strictSame(runningKeys({ ...rings, format: 'public' }), { makes: true, ids: { ...signed, ...ids } });
  t.strictSame(acceptedKeys({ ...rings, format: 'public' }), { makes: false, ids: sealed });
  t.strictSame(acceptedKeys(others), { makes: false, ids: {} });
});

t.test("after no step reported as safe does a node reject another's tokens", async (t) => {
  const lists = fc.array(fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 1 }), {
    minLength: 1,
    maxLength: 4,
  });
  const uses = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: NOW - 3000, max: NOW }));
  fc.assert(
    fc.property(lists, uses, (nodes, used) => {
      // A node's first key is in use now.
      for (const [front] of nodes) used[String(front)] = NOW;
      return steps(ring(nodes, used)).every((step) => {
        if (step.step === 'front') return nodes.every((ids) => ids.includes(step.id));
        if (step.step !== 'drop') return true;
        const isUsed = nodes.some(([front]) => front === step.id);
        return !isUsed && (used[step.id] ?? 0) + REPORT + LIFE <= NOW;
      });
    }),
    { numRuns: 1000 },
  );
  t.pass('for 1,000 states');
});
