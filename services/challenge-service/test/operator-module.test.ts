// The operator's module: loaded before the start, and its challenge types and renderer in use.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AnswerType,
  type ChallengeType,
  type ChallengeVerifier,
  createChallengeVerifier,
  type VerifiedType,
} from '@tollgate/shared/challenges';
import { ConfigurationError } from '@tollgate/shared/config';
import { openKeyRing } from '@tollgate/shared/crypto';
import { resolveCaptchaOptions } from '@tollgate/shared/schemas';
import { openChallengeStore, type Store } from '@tollgate/shared/store';
import { eachKind, redisStore } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { loadImageSetup, openImages as openSetupImages } from '../src/image-setup.js';
import { openRendererPool } from '../src/renderer/custom-renderer.js';
import { openImages, openNode, SECRET } from './challenge-node.js';

// The module and presets, loaded and validated before the start.

const captcha = resolveCaptchaOptions();

/** Loads a module and presets from a test folder. The file names are unique because modules are cached. */
function loader(folder: string) {
  let files = 0;
  return async (module?: string, presets?: string) => {
    const name = `own-${files++}.mjs`;
    if (module !== undefined) writeFileSync(join(folder, name), module);
    const values = {
      CAPTCHA_MODULE: module === undefined ? undefined : `./${name}`,
      CAPTCHA_PRESETS: presets,
    };
    return loadImageSetup({ values, captcha }, folder);
  };
}

t.test('the setup needs no configuration', async (t) => {
  const { presets, kinds, renderer } = await loader(tempDir(t))();
  t.strictSame([[...presets.keys()], kinds, renderer], [['default'], [], undefined]);
});

t.test('presets come from a file, from JSON in the variable and from the module', async (t) => {
  const folder = tempDir(t);
  const load = loader(folder);
  writeFileSync(join(folder, 'presets.json'), '{ "large": {} }');
  t.ok((await load(undefined, 'presets.json')).presets.has('large'));
  const both = await load('export const presets = { own: { kind: "text" } };', ' { "small": {} }');
  t.strictSame([...both.presets.keys()], ['default', 'own', 'small']);
});

t.test("the module's renderer draws, and no library is loaded", async (t) => {
  const { renderer } = await loader(tempDir(t))(
    `export const renderer = { name: 'mine', render: () => new Uint8Array() };`,
  );
  const images = await openSetupImages(renderer, 'canvas', { threads: 1, maxQueue: 1 });
  t.equal(await images?.identity(), 'mine');
  await images?.close();
});

t.test('each error is a line that begins with the variable name', async (t) => {
  const load = loader(tempDir(t));
  const lines: [string | undefined, string | undefined, RegExp[]][] = [
    ['export const preset = {};', undefined, [/^CAPTCHA_MODULE names a module that exports neither/]],
    [
      'throw new Error("a secret")',
      undefined,
      [/^CAPTCHA_MODULE names a module that cannot be loaded: it threw Error$/],
    ],
    ['const', undefined, [/^CAPTCHA_MODULE names a module that cannot be loaded: /]],
    ['export const kinds = 5;', undefined, [/^CAPTCHA_MODULE kinds must be a list of challenge types$/]],
    [
      'export const kinds = [{ name: "text", make() {} }, { name: "a b" }, { name: "c" }];',
      undefined,
      [
        /^CAPTCHA_MODULE kinds\[0\]\.name must not be text, which is taken$/,
        /^CAPTCHA_MODULE kinds\[1\]\.name must be 1 to 32 letters/,
        /^CAPTCHA_MODULE kinds\[2\] \(c\) must have either a function make or a function verify$/,
      ],
    ],
    [
      'export const renderer = {}; export const presets = { "": {} };',
      '{',
      [
        /^CAPTCHA_PRESETS is not valid JSON: /,
        /^CAPTCHA_MODULE renderer must have a name/,
        /^CAPTCHA_MODULE presets "" must have a name/,
      ],
    ],
    [
      undefined,
      'nowhere.json',
      [/^CAPTCHA_PRESETS names a file that cannot be read \(ENOENT\); JSON in its place/],
    ],
    [
      undefined,
      '{ "effort": {} }',
      [/^CAPTCHA_PRESETS effort must not be named effort, which has no image$/],
    ],
  ];
  for (const [module, presets, expected] of lines) {
    const error = await load(module, presets).catch((error: unknown) => error);
    t.ok(error instanceof ConfigurationError, String(expected));
    if (error instanceof ConfigurationError) {
      t.equal(error.lines.length, expected.length);
      t.match(error.lines, expected);
    }
  }
  const config = { values: { CAPTCHA_MODULE: './nowhere.js' }, captcha };
  await t.rejects(loadImageSetup(config, tempDir(t)), {
    message: /^CAPTCHA_MODULE names a module that cannot be loaded: Cannot find module/,
  });
});

// Custom challenge types in responses, in the store and in verification.

const sum: AnswerType = {
  name: 'sum',
  make({ random }) {
    const [a, b] = [random.below(50), random.below(50)];
    return { answer: `is ${a + b}`, fields: { a, b } };
  },
};

const echo: VerifiedType = {
  name: 'echo',
  maxAnswerCharacters: 200,
  hasMinimumTime: false,
  issue: ({ random }) => ({ fields: { say: Buffer.from(random.bytes(60)).toString('hex') }, rest: 'kept' }),
  verify: (rest, answer, { random }) =>
    rest === 'kept' && answer === Buffer.from(random.bytes(60)).toString('hex') ? 'right' : 'wrong',
};

const presets = { sum: { kind: 'sum' }, echo: { kind: 'echo' } };

function verifierOn(store: Store, kinds: readonly ChallengeType[] = [], minSeconds = 0): ChallengeVerifier {
  return createChallengeVerifier({
    store: openChallengeStore(store, 'captcha'),
    ring: openKeyRing(SECRET),
    options: resolveCaptchaOptions({ min_seconds: minSeconds }),
    application: 'tests',
    kinds,
    clock: Date.now,
  });
}

const check = (verifier: ChallengeVerifier, imageToken: string, imageAnswer: string) =>
  verifier.verify({ imageToken, imageAnswer }, { ip: undefined, pow: false, image: 'required' });

t.test(
  'the fields of a custom type reach the client with token and times, but without the answer',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const node = await openNode(t, store, { kinds: [sum, echo], presets });
      const response = await node.get('/api/captcha?preset=sum');
      const { token, expires_at, ...rest } = response.json();
      t.strictSame(rest, { a: rest.a, b: rest.b, expires_in: 120 });
      t.match([token, expires_at], [/^[A-Za-z0-9]{40}$/, /^\d{4}-/]);
      t.equal(response.headers['content-type'], 'application/json; charset=utf-8');
      t.equal((await node.get(`/api/captcha/${token}.png`)).statusCode, 404, 'it has no image');
      const verified = (await node.get('/api/captcha?preset=echo')).json();
      t.strictSame(Object.keys(verified).sort(), ['expires_at', 'expires_in', 'say', 'token']);
      t.equal((await node.get(`/api/captcha/${verified.token}.png`)).statusCode, 404);
    });
  },
);

t.test('an application can verify text answers without knowing the custom type', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const node = await openNode(t, store, { kinds: [sum], presets: { sum: presets.sum } });
    const verifier = verifierOn(store);
    const ask = async () => (await node.get('/api/captcha?preset=sum')).json();
    const first = await ask();
    t.match(
      await check(verifier, first.token, ` IS ${first.a + first.b}`),
      { ok: true },
      'capitals are ignored',
    );
    t.match(await check(verifier, first.token, `is ${first.a + first.b}`), { reason: 'unknown' });
    const second = await ask();
    t.match(await check(verifier, second.token, 'is 1000'), { ok: false, reason: 'wrong' });
  });
});

t.test('answers verified by the type itself require an application that knows the type', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const node = await openNode(t, store, { kinds: [echo], presets: { echo: presets.echo } });
    const ask = async () => (await node.get('/api/captcha?preset=echo')).json();
    const first = await ask();
    t.equal(first.say.length, 120, 'longer than the answer of an image may be');
    t.match(await check(verifierOn(store, [echo]), first.token, first.say), { ok: true });
    const second = await ask();
    t.match(await check(verifierOn(store), second.token, 'x'), { ok: false, reason: 'unknown' });
    const third = await ask();
    t.match(await check(verifierOn(store, [echo]), third.token, second.say), {
      ok: false,
      reason: 'wrong',
    });
  });
});

t.test('min_seconds applies unless the challenge type opts out', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const quick = { ...sum, name: 'quick', hasMinimumTime: false };
    const kinds = [sum, quick, echo];
    const node = await openNode(t, store, { kinds, presets: { ...presets, quick: { kind: 'quick' } } });
    const verifier = verifierOn(store, kinds, 60);
    const reasons = [];
    for (const preset of ['sum', 'quick', 'echo']) {
      const { token, a, b, say } = (await node.get(`/api/captcha?preset=${preset}`)).json();
      const verdict = await check(verifier, token, say ?? `is ${a + b}`);
      reasons.push(verdict.ok ? 'right' : verdict.reason);
    }
    t.strictSame(reasons, ['too_soon', 'right', 'right']);
  });
});

t.test('the store alone reveals no answer of a custom type', async (t) => {
  const { store, redis } = await redisStore(t);
  const node = await openNode(t, store, { kinds: [sum, echo], presets });
  const { token, a, b } = (await node.get('/api/captcha?preset=sum')).json();
  const { say, token: other } = (await node.get('/api/captcha?preset=echo')).json();
  const recordOf = (one: string) => redis.client.get(`captcha:img:{${one.slice(0, 2)}}:${one.slice(2)}`);
  const records = [await recordOf(token), await recordOf(other)];
  t.match(records, [
    /^\d+ answer sum [0-9a-f]{8} - sum@[0-9a-f]{8} no-image \d+ 1 [0-9a-f]{32}$/,
    /^\d+ verify echo [0-9a-f]{8} - kept$/,
  ]);
  t.notOk(records[0]?.includes(`is ${a + b}`));
  t.notOk(records[1]?.includes(say.slice(0, 16)));
  const ring = openKeyRing('another secret, which a thief of the store has');
  const thief = createChallengeVerifier({
    ring,
    store: openChallengeStore(store, 'captcha'),
    options: resolveCaptchaOptions({ min_seconds: 0 }),
    application: 'tests',
    kinds: [echo],
    clock: Date.now,
  });
  t.match(await check(thief, other, say), { ok: false, reason: 'unknown' });
});

t.test('in test mode the response includes any answer', async (t) => {
  const { store } = await redisStore(t);
  const env = { CAPTCHA_TEST_MODE: 'true' };
  const node = await openNode(t, store, { kinds: [sum, echo], presets, env });
  const { a, b, answer } = (await node.get('/api/captcha?preset=sum')).json();
  t.equal(answer, `is ${a + b}`);
  t.equal((await node.get('/api/captcha?preset=echo')).json().answer, undefined);
});

t.test('a failing custom type is an internal error that does not quote its message', async (t) => {
  const { store } = await redisStore(t);
  let fails = false;
  const own: AnswerType = {
    name: 'own',
    make() {
      if (fails) throw new RangeError('the answer is k7mxqp');
      return { answer: 'k7mxqp' };
    },
  };
  const node = await openNode(t, store, { kinds: [own], presets: { own: { kind: 'own' } } });
  fails = true;
  const failed = await node.get('/api/captcha?preset=own');
  t.strictSame([failed.statusCode, failed.json().code], [500, 'internal_error']);
  t.match(node.log(), 'make of the kind own threw RangeError');
  t.notMatch(node.log(), 'k7mxqp');

  const broken = { ...echo, verify: () => true } as unknown as VerifiedType;
  const verifying = await openNode(t, store, { kinds: [broken], presets: { echo: presets.echo } });
  const { token } = (await verifying.get('/api/captcha?preset=echo')).json();
  await t.rejects(check(verifierOn(store, [broken]), token, 'x'), {
    message: 'verify of the kind echo must return right, wrong or insufficient',
  });
});

t.test("the operator's renderer replaces the libraries", async (t) => {
  const images = await openImages(t);
  await eachKind(t, async (t, { store }) => {
    const texts: string[] = [];
    const png = Buffer.from('89504e470d0a1a0a00', 'hex');
    let fails = false;
    const own = openRendererPool(
      {
        name: 'mine@1',
        render(text) {
          texts.push(text);
          if (fails) throw new Error(`no glyph for ${text}`);
          return png;
        },
      },
      { running: 1, maxQueue: 1 },
    );
    const env = { CAPTCHA_TEST_MODE: 'true' };
    const deps = { presets: { greek: { phrase: { alphabet: 'αβγδεζηθ' } } }, hasCustomRenderer: true };
    const node = await openNode(t, store, { ...deps, images: own, env });
    const { url, answer } = (await node.get('/api/captcha?preset=greek')).json();
    const { pathname } = new URL(url);
    const drawn = await node.get(pathname);
    t.same(drawn.rawPayload, png);
    t.strictSame(texts, [answer]);
    t.match(answer, /^[αβγδεζηθ]{6}$/);

    const elsewhere = await openNode(t, store, { ...deps, images });
    t.equal((await elsewhere.get(pathname)).statusCode, 503);
    t.strictSame(elsewhere.others, ['mine@1']);

    fails = true;
    const failed = await node.get(pathname);
    t.strictSame([failed.statusCode, failed.json().code], [500, 'internal_error']);
    t.match(node.log(), 'the renderer mine@1 threw Error');
    t.notOk(node.log().includes(answer));
  });
});
