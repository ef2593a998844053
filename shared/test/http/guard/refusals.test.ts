// Rejections of a guarded route: their requirements, and their format.

import { cheap, type Desk, openDesk, ring } from '@tollgate/test-support/issuing.js';
import { eachKind, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import t, { type Test } from 'tap';
import { accountKey } from '../../../src/challenges/attempts/pseudonyms.js';
import errorHandler from '../../../src/http/errors/error-handler.js';
import guard from '../../../src/http/guard/challenge-guard.js';
import formBodies from '../../../src/http/guard/form-bodies.js';
import { captcha, pow } from '../../../src/http/guard/guards.js';
import type { Store } from '../../../src/store/open-store.js';

const email = 'someone@example.com';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const keyOf = ({ body }: FastifyRequest) => accountKey((body as { email: string }).email);

interface Site extends Desk {
  readonly app: FastifyInstance;
  solvedWork(ticket?: string): Promise<{ pow_token: string; pow_nonce: string }>;
  send(path: string, payload: object | string, headers?: Record<string, string>): ReturnType<typeof sendTo>;
}

async function sendTo(app: FastifyInstance, url: string, payload: object | string, headers = {}) {
  const answer = await app.inject({ method: 'POST', url, payload, headers });
  const { statusCode: status, headers: sent, body } = answer;
  const isJson = String(sent['content-type']).includes('json');
  return { status, type: sent['content-type'], headers: sent, body, json: isJson ? JSON.parse(body) : null };
}

async function openSite(t: Test, store: Store, add: (app: FastifyInstance) => unknown): Promise<Site> {
  const desk = openDesk(store, { input: cheap });
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(guard, { store: desk.challenges, ring, options: desk.options, application: 'tests' });
  await add(app);
  await app.ready();
  return {
    ...desk,
    app,
    async solvedWork(ticket) {
      const { powToken, powNonce } = await desk.work(ticket === undefined ? {} : { ticket });
      return { pow_token: powToken, pow_nonce: powNonce };
    },
    send: (path, payload, headers) => sendTo(app, path, payload, headers),
  };
}

t.test('a form that always requires an image says so in every rejection, for any reason', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { send, solvedWork, image } = await openSite(t, store, (app) => {
      const body = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
      app.post('/contact', { config: { guards: [captcha, pow()] }, schema: { body } }, async () => ({}));
      app.post('/keyed', { config: { guards: [captcha, pow({ key: keyOf })] } }, async () => ({}));
    });
    const { imageToken, imageAnswer } = await image();
    const answers = [
      await send('/contact', {}),
      await send('/contact', { name: 'x' }),
      await send('/contact', { name: 'x', ...(await solvedWork()) }),
      await send('/contact', { name: 'x', pow_token: 'A'.repeat(40), pow_nonce: '1' }),
      await send('/contact', {
        name: 'x',
        ...(await solvedWork()),
        captcha_token: imageToken,
        captcha: 'wrong',
      }),
      await send('/keyed', {}),
    ];
    t.equal(imageAnswer.length, 6);
    for (const { status, json } of answers) {
      t.equal(status, 422, json.code);
      t.match(json, { captcha_required: true, captcha_alternatives: ['effort'] }, json.code);
    }
  });
});

t.test('a request that its guard never saw gets no requirements', async (t) => {
  const { store } = embeddedStore(t);
  const { send } = await openSite(t, store, async (app) => {
    await app.register(errorHandler);
    app.post('/contact', { config: { guards: [captcha, pow()] } }, async () => ({}));
  });
  for (const [payload, type, status] of [
    ['{', 'application/json', 400],
    ['x', 'application/xml', 415],
  ] as const) {
    const answer = await send('/contact', payload, { 'content-type': type });
    t.equal(answer.status, status);
    t.strictSame(Object.keys(answer.json), ['message', 'code']);
  }
});

t.test(
  'a rejection by the route itself, after the counted attempt, includes the next requirements',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const { app, send, solvedWork } = await openSite(t, store, (app) => {
        const config = { guards: [pow({ key: keyOf })] };
        app.post('/sent', { config }, async (request, reply) => {
          await request.countAttempt();
          return reply.code(401).send({ mine: 'wrong' });
        });
        app.post('/thrown', { config }, async (request) => {
          await request.countAttempt();
          throw Object.assign(new Error('wrong'), { statusCode: 422, code: 'MINE' });
        });
        app.post('/withdrawn', { config }, async (request, reply) => {
          await (await request.countAttempt()).withdraw();
          return reply.code(409).send({ mine: 'later' });
        });
        app.post('/own', { config }, async (_request, reply) =>
          reply.code(422).send({ captcha_required: 'mine' }),
        );
      });
      const first = await send('/sent', { email, ...(await solvedWork()) });
      t.match(first, {
        status: 401,
        json: { mine: 'wrong', captcha_required: false, pow_scope: /^[\w-]+$/ },
      });
      const ticket = first.json.pow_scope;
      t.match(await send('/thrown', { email, ...(await solvedWork(ticket)) }), {
        status: 422,
        json: {
          statusCode: 422,
          code: 'MINE',
          error: 'Unprocessable Entity',
          message: 'wrong',
          captcha_required: true,
          captcha_alternatives: ['effort'],
          pow_scope: String,
        },
      });
      t.equal((await app.captcha.attemptStatus(email)).failures, 2);
      await app.captcha.clearFailures(email);
      t.match(await send('/withdrawn', { email, ...(await solvedWork()) }), {
        status: 409,
        json: { mine: 'later', captcha_required: false, pow_scope: String },
      });
      t.equal((await send('/own', { email, ...(await solvedWork()) })).json.captcha_required, 'mine');
    });
  },
);

t.test('a login without an account is rejected, and never a server error', async (t) => {
  await eachKind(t, async (t, { store }) => {
    for (const key of [keyOf, ({ body }: FastifyRequest) => (body as { email?: string } | null)?.email]) {
      const { send, solvedWork } = await openSite(t, store, (app) => {
        app.post('/sign-in', { config: { guards: [pow({ key })] } }, async (request) =>
          request.countAttempt(),
        );
      });
      for (const named of [{}, { email: null }, { email: [] }, { email: '  ' }, { email: {} }]) {
        const { status, json } = await send('/sign-in', { ...named, ...(await solvedWork()) });
        if (status === 200) t.equal(named.email, '  ', 'white space is a name where nobody normalises');
        else t.match([status, json], [422, { code: 'validation_failed', captcha_required: false }]);
      }
    }
  });
});

t.test('eight spellings of one account share one counter', async (t) => {
  await eachKind(t, async (t, { store }) => {
    let looks = 0;
    const { send, solvedWork } = await openSite(t, store, (app) => {
      app.post('/sign-in', { config: { guards: [pow({ key: keyOf })] } }, async (request, reply) => {
        await request.countAttempt();
        looks += 1;
        return reply.code(422).send({ code: 'login_failed' });
      });
    });
    const spellings = [
      'ann@example.com',
      'Ann@example.com',
      ' ann@example.com',
      'ann@example.com ',
      'ANN@EXAMPLE.COM',
      'ａnn@example.com',
      'ann@ｅxample.com',
      '\u00a0ann@example.com',
    ];
    for (const spelling of spellings) await send('/sign-in', { email: spelling, ...(await solvedWork()) });
    t.equal(looks, 1, 'work priced without failures buys one look');
  });
});

t.test('a browser that submitted a plain form gets a page, a program gets JSON', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { send } = await openSite(t, store, async (app) => {
      await app.register(formBodies);
      app.post('/contact', { config: { guards: [captcha, pow()] } }, async () => ({}));
    });
    const page = await send('/contact', '', {
      'content-type': 'application/x-www-form-urlencoded',
      accept: BROWSER,
      'accept-language': 'ar',
    });
    t.equal(page.status, 422);
    t.equal(page.type, 'text/html; charset=utf-8');
    t.match(page.body, /^<!doctype html>\n<html lang="ar" dir="rtl">/);
    t.match(page.headers, {
      'content-language': 'ar',
      vary: /Accept-Language.*Accept/,
      'cache-control': 'no-store',
      'content-security-policy': /default-src 'none'/,
    });
    t.notMatch(page.body, /<(script|link|img|style)|https?:|undefined/);
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5', 'x'.repeat(5000)]) {
      t.match(await send('/contact', {}, { accept }), { status: 422, json: { code: 'pow_invalid' } });
    }
    t.match(await send('/contact', {}), { status: 422, json: { code: 'pow_invalid' } });
  });
});

t.test("with the project's error handler a browser also gets the page", async (t) => {
  const { store } = embeddedStore(t);
  const desk = openDesk(store, { input: cheap });
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(errorHandler);
  await app.register(guard, { store: desk.challenges, ring, options: desk.options, application: 'tests' });
  app.post('/contact', { config: { guards: [pow()] } }, async () => ({}));
  t.match(await sendTo(app, '/contact', {}, { accept: BROWSER }), { status: 422, type: /^text\/html/ });
});

t.test('an application can render its own form again, with the verdict', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { send, solvedWork } = await openSite(t, store, async (app) => {
      await app.register(formBodies);
      const body = {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', minLength: 1 } },
      };
      app.post<{ Body: { name?: string } }>(
        '/contact',
        {
          schema: { body },
          config: {
            guards: [pow()],
            onRefused: (request, reply, { body }) => {
              const { name = '' } = request.body as { name?: string };
              return reply.type('text/html').send(`${body.code} ${request.challengeVerdict?.ok} ${name}`);
            },
          },
        },
        async (request) => ({ hello: request.body.name, verdict: request.challengeVerdict }),
      );
    });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const refused = await send('/contact', 'name=Ann', form);
    t.match(refused, { status: 422, type: 'text/html', body: 'pow_invalid false Ann' });
    t.match(await send('/contact', 'name=', form), { status: 422, body: 'validation_failed false ' });
    const solved = new URLSearchParams({ name: 'Ann', ...(await solvedWork()) }).toString();
    t.match(await send('/contact', solved, form), {
      status: 200,
      json: { hello: 'Ann', verdict: { ok: true } },
    });
    t.match(await send('/contact', { name: 'Ann' }), { status: 422, body: 'pow_invalid false Ann' });
  });
});

t.test('one route accepts every form type and JSON', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { send, solvedWork } = await openSite(t, store, async (app) => {
      await app.register(formBodies);
      app.post('/contact', { config: { guards: [pow()] } }, async ({ body }) => {
        const { name, file } = body as { name: string; file?: unknown };
        return { name, file: file ?? null };
      });
    });
    const expected = { status: 200, json: { name: 'Ann & Bob', file: null } };
    const fields = async () => ({ name: 'Ann & Bob', ...(await solvedWork()) });
    t.match(await send('/contact', await fields()), expected);
    t.match(
      await send('/contact', new URLSearchParams(await fields()).toString(), {
        'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
      }),
      expected,
    );
    const { type, text } = multipart(await fields(), 'a file');
    t.match(await send('/contact', text, { 'content-type': type }), expected);
  });
});

t.test('a malformed, huge or hostile form is rejected with a 4xx', async (t) => {
  const { store } = embeddedStore(t);
  const { send } = await openSite(t, store, async (app) => {
    await app.register(formBodies);
    app.post('/contact', { config: { guards: [pow()] } }, async () => ({}));
  });
  const { type, text } = multipart({ name: 'Ann' });
  const huge = multipart({ name: 'x'.repeat(1_000_000), other: 'x'.repeat(100_000) });
  const file = multipart({}, 'x'.repeat(1_100_000));
  const many = multipart(Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}`, ''])));
  const cases: [string, string, string, number][] = [
    ['cut off', text.slice(0, -20), type, 400],
    ['no boundary', text, 'multipart/form-data', 400],
    ['empty', '', type, 422],
    ['no parts', 'nonsense', type, 400],
    ['too long', huge.text, huge.type, 413],
    ['a file that is too long', file.text, file.type, 413],
    ['too many fields', many.text, many.type, 413],
    ['a prototype', multipart({ ['__proto__']: 'x' }).text, type, 400],
    ['prototypes', '__proto__=1&constructor=2', 'application/x-www-form-urlencoded', 422],
    ['twice', 'pow_token=1&pow_token=2', 'application/x-www-form-urlencoded', 422],
    ['a percent sign', '%', 'application/x-www-form-urlencoded', 422],
    ['another type', 'x', 'application/xml', 415],
  ];
  for (const [name, payload, contentType, status] of cases) {
    const answer = await send('/contact', payload, { 'content-type': contentType });
    t.equal(answer.status, status, name);
    t.type(answer.json?.code, 'string', name);
  }
});

t.test("with the store unreachable the application's error handler gets 503", async (t) => {
  const { store, redis } = await redisStore(t);
  const { send, solvedWork } = await openSite(t, store, (app) => {
    app.setErrorHandler((error: { statusCode?: number; code?: string }, _request, reply) =>
      reply.code(error.statusCode ?? 500).send({ mine: error.code }),
    );
    app.post('/contact', { config: { guards: [pow()] } }, async () => ({}));
  });
  const work = await solvedWork();
  await redis.stop();
  const answer = await send('/contact', work);
  t.match(answer, { status: 503, json: { mine: 'STORE_UNAVAILABLE' }, headers: { 'retry-after': '1' } });
});

function multipart(fields: Record<string, string>, file?: string): { type: string; text: string } {
  const boundary = 'x-boundary-of-these-tests';
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  if (file !== undefined) {
    parts.push(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n${file}\r\n`,
    );
  }
  return { type: `multipart/form-data; boundary=${boundary}`, text: `${parts.join('')}--${boundary}--\r\n` };
}
