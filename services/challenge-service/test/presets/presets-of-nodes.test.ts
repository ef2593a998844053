// Presets in requests: selected or rejected by name, and never drawn by a node with a different preset of that name.

import type { AnswerType } from '@tollgate/shared/challenges';
import { eachKind, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openImages, openNode } from '../challenge-node.js';

t.test('preset names such as __proto__ or path segments match nothing', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const kinds: AnswerType[] = [{ name: 'sum', make: () => ({ answer: '4' }) }];
    const node = await openNode(t, store, { kinds, presets: { large: {} } });
    const names = [
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      '../default',
      '..%2Fdefault',
      'default.png',
      'default%00',
      'Default',
      'large@00000000',
      'text',
      'sum',
      'x'.repeat(2000),
    ];
    for (const name of names) {
      const { statusCode, body } = await node.get(`/api/captcha?preset=${name}`);
      t.equal(statusCode, 422, name);
      t.equal(JSON.parse(body).code, 'unknown_preset', name);
    }
    t.equal((await node.get('/api/captcha?preset=large')).statusCode, 200);
  });
});

t.test('a repeated preset is ignored', async (t) => {
  const images = await openImages(t);
  await eachKind(t, async (t, { store }) => {
    const presets = { large: { picture: { width: 400, height: 130 } } };
    const node = await openNode(t, store, { images, presets });
    const unnamed = await node.get(await node.issueImage());
    for (const query of ['large&preset=large', 'none&preset=large', 'effort&preset=effort']) {
      const image = await node.get(await node.issueImage(query));
      t.equal(image.statusCode, 200, query);
      t.equal(image.rawPayload.readUInt32BE(16), unnamed.rawPayload.readUInt32BE(16), 'drawn as the default');
    }
  });
});

t.test('every node with the same preset draws identical images', async (t) => {
  const images = await openImages(t);
  await eachKind(t, async (t, { store }) => {
    const presets = { large: { picture: { width: 400, height: 130 } } };
    const [one, other] = [
      await openNode(t, store, { images, presets }),
      await openNode(t, store, { images, presets }),
    ];
    const path = await one.issueImage('large');
    const [first, second] = [await one.get(path), await other.get(path)];
    t.equal(first.statusCode, 200);
    t.same(first.rawPayload, second.rawPayload);
    t.strictSame([first.rawPayload.readUInt32BE(16), first.rawPayload.readUInt32BE(20)], [800, 260]);
  });
});

t.test('during a rollout a node with a different preset of that name does not draw', async (t) => {
  const images = await openImages(t);
  await eachKind(t, async (t, { store }) => {
    const before = await openNode(t, store, { images, presets: { short: { phrase: { length: 4 } } } });
    const after = await openNode(t, store, { images, presets: { short: { phrase: { length: 5 } } } });
    const without = await openNode(t, store, { images });
    const path = await before.issueImage('short');
    for (const node of [after, without]) {
      const refused = await node.get(path);
      t.equal(refused.statusCode, 503);
      t.equal(refused.json().code, 'image_unavailable');
      t.equal(refused.headers['retry-after'], '1');
      t.strictSame(node.others, ['short']);
    }
    t.equal((await before.get(path)).statusCode, 200, 'the challenge is still there');
    t.strictSame(before.others, []);
  });
});

t.test('a node whose challenge type of that name creates other texts does not draw', async (t) => {
  const images = await openImages(t);
  const { store } = await redisStore(t);
  const kindOf = (bound: number): AnswerType => ({
    name: 'own',
    make({ random, phrase }) {
      const text = Array.from({ length: 6 }, () => phrase.alphabet[random.below(bound)]).join('');
      return { answer: text, text };
    },
  });
  const nodeOf = (bound: number) =>
    openNode(t, store, { images, kinds: [kindOf(bound)], presets: { own: { kind: 'own' } } });
  const [before, after] = [await nodeOf(8), await nodeOf(5)];
  const path = await before.issueImage('own');
  t.equal((await after.get(path)).statusCode, 503);
  t.equal((await before.get(path)).statusCode, 200);
});
