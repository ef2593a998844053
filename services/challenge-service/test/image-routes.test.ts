// Image routes: who may embed an image, which node draws it, floods, and images for pages without JavaScript.

import {
  type AnswerType,
  drawKey,
  normaliseAnswer,
  parseAnswerRecord,
  parseVerifiedRecord,
  scrambleAnswer,
} from '@tollgate/shared/challenges';
import { type KeyRing, openKeyRing, randomAlphanumerics } from '@tollgate/shared/crypto';
import { createLogger } from '@tollgate/shared/http';
import { openChallengeStore, openRequestCounter } from '@tollgate/shared/store';
import { silentTrail } from '@tollgate/test-support/audit.js';
import { eachKind, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { buildApp } from '../src/app.js';
import { readChallengeConfig } from '../src/config.js';
import { answerText } from '../src/image/derivation.js';
import { createChallengeMetrics } from '../src/plugins/challenge-metrics.js';
import { defaultPreset } from '../src/presets/preset.js';
import { type ImagePool, openImagePool } from '../src/renderer/image-pool.js';
import { openImages, openNode, SECRET } from './challenge-node.js';

const GUESSED = ['challenge-secret-of-the-tests-0002', SECRET.slice(0, -1), SECRET.toUpperCase()];
const ON = { CAPTCHA_NO_SCRIPT: 'image' };
const images = await openImages(t);

// Which pages may embed the image.

const policies: readonly [corsOrigin: string, publicUrl: string, policy: string][] = [
  ['https://app.example.com', 'https://auth.example.com/base', 'same-site'],
  ['https://one.github.io', 'https://two.github.io', 'cross-origin'],
  ['https://a.co.uk', 'https://b.co.uk', 'cross-origin'],
  ['http://localhost:3000', 'http://localhost:8080', 'same-site'],
  ['http://app.example.com', 'https://auth.example.com', 'cross-origin'],
];

t.test('an image allowed for subdomains of the same site is not available to other sites', async (t) => {
  await eachKind(t, async (t, { store }) => {
    for (const [CORS_ORIGIN, PUBLIC_URL, policy] of policies) {
      const node = await openNode(t, store, { images, env: { CORS_ORIGIN, PUBLIC_URL } });
      const path = (await node.issueImage()).replace(/^\/base/, '');
      const image = await node.get(path);
      t.equal(image.statusCode, 200);
      t.equal(image.headers['cross-origin-resource-policy'], policy, `${PUBLIC_URL} for ${CORS_ORIGIN}`);
    }
  });
});

// A node that cannot draw, while all other routes work.

const environment = {
  CHALLENGE_SECRET: 'challenge-secret-of-the-tests-0001',
  PUBLIC_URL: 'http://localhost:8080',
};

t.test('without an image library only the image fails, with its own error code', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const node = await openBareNode(t, store, null);
    const drawn = await node.get(await node.issueImage());
    t.equal(drawn.statusCode, 500);
    t.equal(drawn.json().code, 'no_image_library');
    t.equal((await node.get('/api/captcha/pow')).statusCode, 200);
  });
});

t.test('a node rejects images of another library or version and reports them', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const here = await openBareNode(t, store, images);
    const elsewhere = await openBareNode(t, store, {
      ...images,
      identity: async () => 'another@1.0.0:00000000',
    });

    const path = await here.issueImage();
    const refused = await elsewhere.get(path);
    t.equal(refused.statusCode, 503);
    t.equal(refused.json().code, 'image_unavailable');
    t.equal(refused.headers['retry-after'], '1');
    t.strictSame(elsewhere.others, [await images.identity()]);

    const drawn = await here.get(path);
    t.equal(drawn.statusCode, 200, 'the challenge is still there');
    t.equal(drawn.headers['content-type'], 'image/png');
    t.strictSame(here.others, []);
  });
});

async function openBareNode(
  t: Test,
  store: Parameters<typeof openChallengeStore>[0],
  images: ImagePool | null,
) {
  const others: string[] = [];
  const app = await buildApp(readChallengeConfig(environment), {
    challenges: openChallengeStore(store, 'captcha'),
    countRequest: openRequestCounter(store, 'captcha'),
    ring: openKeyRing(environment.CHALLENGE_SECRET),
    images,
    onOtherDriver: (driver) => others.push(driver),
    redis: {},
    metrics: createChallengeMetrics({ process: false }),
    trail: silentTrail(),
    logger: createLogger({ name: 'test', level: 'silent' }),
  });
  t.teardown(() => app.close());
  const get = (url: string) => app.inject(url);
  const issueImage = async () => new URL((await get('/api/captcha')).json().url).pathname;
  return { others, get, issueImage };
}

// Presets in requests: selected or rejected by name, and never drawn by a node with a different preset of that name.

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

// A flood of images does not block other requests: drawing beyond the queue is rejected.

t.test('image drawing: requests beyond the queue get 503 at once, and issuing continues', async (t) => {
  const { store } = await redisStore(t);
  const images = await openImagePool({ threads: 1, maxQueue: 2 });
  if (images === null) throw new Error('the tests need an image library');
  t.teardown(() => images.close());
  const node = await openNode(t, store, { images });
  const path = await node.issueImage();

  const drawn = Array.from({ length: 30 }, () => node.get(path));
  const issued = await Promise.all(
    Array.from({ length: 30 }, (_, n) => node.get(n % 2 === 0 ? '/api/captcha' : '/api/captcha/pow')),
  );
  t.strictSame(new Set(issued.map(({ statusCode }) => statusCode)), new Set([200]));
  const answers = await Promise.all(drawn);
  const refused = answers.filter(({ statusCode }) => statusCode !== 200);
  t.ok(refused.length > 0 && refused.length < 30, `${refused.length} of 30 are refused`);
  for (const answer of refused) {
    t.equal(answer.statusCode, 503);
    t.equal(answer.json().code, 'overloaded');
    t.equal(answer.headers['retry-after'], '1');
    t.equal(answer.headers['cache-control'], 'no-store');
  }
  t.equal((await node.get(path)).statusCode, 200, 'a refused drawing costs the challenge nothing');
});

// An attack with a dump of the store and the source, but without the secret, cannot compute an answer.

t.test('without the secret no answer can be computed from the store contents', async (t) => {
  const { store, redis } = await redisStore(t);
  const env = { CAPTCHA_TEST_MODE: 'true', CAPTCHA_POW_DIFFICULTY: '1' };
  const node = await openNode(t, store, { env });
  for (let n = 0; n < 20; n++) {
    const { token, answer } = (await node.get('/api/captcha')).json();
    const encoded = (await redis.client.get(`captcha:img:{${token.slice(0, 2)}}:${token.slice(2)}`)) ?? '';
    const record = parseAnswerRecord(parseVerifiedRecord(encoded)?.rest ?? '');
    if (record === null) throw new Error('the store holds no record of it');
    const derive = ({ current }: KeyRing) => answerText(drawKey(current), token, record.seed, defaultPreset);
    const scramble = ({ current }: KeyRing) =>
      scrambleAnswer(current, token, normaliseAnswer(answer, record.fold));

    const right = openKeyRing(SECRET);
    t.strictSame(
      [derive(right), scramble(right)],
      [answer, record.answer],
      'the service derives it like this',
    );
    for (const secret of GUESSED) {
      const wrong = openKeyRing(secret);
      t.not(derive(wrong), answer);
      t.not(scramble(wrong), record.answer, 'nor can a guess be compared with what is stored');
    }
    t.notOk(encoded.toLowerCase().includes(answer.toLowerCase()), 'the record does not contain the answer');
  }
});

// Images for pages without JavaScript: under a token chosen by the page, and counted by address.

const pathOf = (token = randomAlphanumerics(40)) => `/api/captcha/no-script/${token}.png`;

t.test('the first request draws the image, and every later one returns the same bytes', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const node = await openNode(t, store, { images, env: ON });
    const one = pathOf();
    const first = await node.get(one);
    t.equal(first.statusCode, 200);
    t.match(first.headers, {
      'content-type': 'image/png',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-site',
    });
    t.notOk('x-captcha-answer' in first.headers);
    t.ok(first.rawPayload.equals((await node.get(one)).rawPayload));
    t.notOk(first.rawPayload.equals((await node.get(pathOf())).rawPayload));
    const [other, another] = await Promise.all([
      node.get(pathOf('a'.repeat(40))),
      node.get(pathOf('a'.repeat(40))),
    ]);
    t.ok(other.rawPayload.equals(another.rawPayload), 'of two at once one is recorded');
  });
});

t.test('without the option the route does not exist', async (t) => {
  const node = await openNode(t, embeddedStore(t).store, { images });
  t.equal((await node.get(pathOf())).statusCode, 404);
});

t.test('images are limited per minute by address and by network; the same image again is free', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const env = { ...ON, RATE_LIMIT_NO_SCRIPT: '2', RATE_LIMIT_FACTOR_56: '2', RATE_LIMIT_FACTOR_48: '3' };
    const node = await openNode(t, store, { images, env });
    const load = (remoteAddress: string, url = pathOf()) =>
      node.inject({ method: 'GET', url, remoteAddress });
    const known = pathOf();
    t.equal((await load('203.0.113.7', known)).statusCode, 200);
    t.equal((await load('203.0.113.7')).statusCode, 200);
    const refused = await load('203.0.113.7');
    t.equal(refused.statusCode, 429);
    t.match(refused.headers, { 'retry-after': /^\d+$/, 'ratelimit-limit': '2', 'ratelimit-remaining': '0' });
    t.equal((await load('203.0.113.7', known)).statusCode, 200);
    t.equal((await load('203.0.113.8')).statusCode, 200);
    for (const network of ['2001:db8:0:1', '2001:db8:0:2']) {
      for (let i = 0; i < 2; i++) t.equal((await load(`${network}::1`)).statusCode, 200, network);
    }
    t.equal((await load('2001:db8:0:3::1')).statusCode, 429, 'the /56 has had its four');
    for (const network of ['2001:db8:0:100', '2001:db8:0:200']) {
      t.equal((await load(`${network}::1`)).statusCode, 200, network);
    }
    t.equal((await load('2001:db8:0:300::1')).statusCode, 429, 'the /48 has had its six');
  });
});

t.test('the operator chooses the preset', async (t) => {
  const presets = { 'no-script': { phrase: { length: 8 } }, easy: { phrase: { length: 4 } } };
  const env = { ...ON, CAPTCHA_TEST_MODE: 'true' };
  const node = await openNode(t, embeddedStore(t).store, { images, env, presets });
  const { headers } = await node.get(`${pathOf()}?preset=easy`);
  t.match(headers['x-captcha-answer'], /^\w{8}$/);
  const usual = await openNode(t, embeddedStore(t).store, { images, env });
  t.match((await usual.get(pathOf())).headers['x-captcha-answer'], /^\w{6}$/);
});

t.test('any token other than forty letters and digits is not found and stores nothing', async (t) => {
  const { store } = embeddedStore(t);
  const node = await openNode(t, store, { images, env: { ...ON, RATE_LIMIT_NO_SCRIPT: '1' } });
  const names = [
    'a'.repeat(39),
    'a'.repeat(41),
    `${'a'.repeat(39)}-`,
    `${'a'.repeat(39)}%00`,
    `${'a'.repeat(39)}%0a`,
    '..%2f..%2fpow',
    '__proto__',
    `{${'a'.repeat(38)}}`,
    `${'é'.repeat(40)}`,
  ];
  for (const name of names) t.equal((await node.get(pathOf(encodeURI(name)))).statusCode, 404, name);
  for (const url of [
    pathOf().replace('.png', ''),
    pathOf().replace('.png', '.gif'),
    '/api/captcha/no-script',
  ]) {
    t.equal((await node.get(url)).statusCode, 404, url);
  }
  t.equal((await node.inject({ method: 'POST', url: pathOf() })).statusCode, 405);
  t.equal((await node.inject({ method: 'HEAD', url: pathOf() })).statusCode, 200);
  t.equal((await node.get(pathOf())).statusCode, 200, 'none of them counted');
});

t.test('a challenge issued in another way is not changed', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const node = await openNode(t, store, { images, env: { ...ON, RATE_LIMIT_NO_SCRIPT: '1' } });
    const issued = await node.issueImage();
    const token = issued.slice('/api/captcha/'.length, -'.png'.length);
    const ordinary = await node.get(issued);
    const again = await node.get(pathOf(token));
    t.ok(again.rawPayload.equals(ordinary.rawPayload));
    t.equal((await node.get(pathOf())).statusCode, 200, 'it did not count');
  });
});
