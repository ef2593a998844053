// docs/examples/custom-kind: custom challenges, issued by the services and checked by every host.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import t, { type Test } from 'tap';
import { examples, type HostedSystem, shared, startHostedSystem } from './hosts.js';

interface GuestBook {
  listen(at: { port: number; host: string }): Promise<string>;
  close(): Promise<void>;
}

type BuildGuestBook = (options: {
  environment: Record<string, string | undefined>;
  save: (text: string) => Promise<void>;
}) => Promise<GuestBook>;

const folder = join(examples, 'custom-kind');
const { buildGuestBook } = (await import(pathToFileURL(join(folder, 'app.js')).href)) as {
  buildGuestBook: BuildGuestBook;
};

const TOOLS = ['hammer', 'saw', 'pliers', 'chisel', 'file', 'spanner'];

t.test('on the embedded store', (t) => tests(t, {}));

t.test('on Redis', async (t) => tests(t, { STORE_URL: (await startRedis(t)).url }));

async function tests(t: Test, store: { STORE_URL?: string }): Promise<void> {
  const CAPTCHA_MODULE = join(folder, 'challenges.js');
  const system = await startHostedSystem(t, { ...store, CAPTCHA_MODULE });
  const saved: string[] = [];
  const app = await buildGuestBook({
    environment: {
      ...shared,
      CAPTCHA_MODULE,
      CHALLENGE_SECRET: system.secrets.CHALLENGE_SECRET,
      STORE_URL: system.storeUrl,
    },
    save: async (text) => {
      saved.push(text);
    },
  });
  t.teardown(() => app.close());
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const sign = async (image: object) => {
    const { status, json } = await post(`${address}/entries`, {
      text: 'Good morning.',
      ...(await system.work()),
      ...image,
    });
    return [status, json.code ?? json.saved];
  };

  await t.test('a sum in words is issued, and its answer is accepted once', async (t) => {
    const { token, ...asked } = await issue(system, 'sum');
    t.match(asked, {
      question: /^How much is \w+ and \w+\? Answer in digits\.$/,
      expires_in: 120,
      expires_at: String,
      answer: /^\d+$/,
    });
    t.strictSame(Object.keys(asked).sort(), ['answer', 'expires_at', 'expires_in', 'question']);
    const image = { captcha_token: token, captcha: ` ${asked.answer} ` };
    t.strictSame(await sign(image), [201, true]);
    t.strictSame(await sign(image), [422, 'captcha_invalid']);
    t.equal((await fetch(`${system.address}/api/captcha/${token}.png`)).status, 404, 'it has no image');
  });

  await t.test('characters to type backwards have an image', async (t) => {
    const { token, url, answer, question } = await issue(system, 'backwards');
    t.equal(question, 'Type the characters from right to left.');
    t.equal(answer.length, 4);
    const drawn = await Promise.all([fetch(url), fetch(url)]);
    t.strictSame(
      drawn.map(({ status, headers }) => [status, headers.get('content-type')]),
      [
        [200, 'image/png'],
        [200, 'image/png'],
      ],
    );
    const [one, other] = await Promise.all(drawn.map((image) => image.arrayBuffer()));
    t.same(one, other, 'the same bytes each time');
    const forwards = [...answer].reverse().join('');
    t.strictSame(await sign({ captcha_token: token, captcha: answer.toLowerCase() }), [201, true]);
    const { token: second } = await issue(system, 'backwards');
    t.strictSame(await sign({ captcha_token: second, captcha: forwards }), [422, 'captcha_invalid']);
  });

  await t.test('a kind with its own check accepts every spelling, at every host', async (t) => {
    const ask = async () => {
      const { token, words, answer } = await issue(system, 'odd');
      t.equal(answer, undefined, 'there is no single right answer to return');
      const numbers = words.flatMap((word, at) => (TOOLS.includes(word) ? [at + 1] : []));
      return { token, numbers };
    };
    const first = await ask();
    t.strictSame(await sign({ captcha_token: first.token, captcha: first.numbers.join(' ') }), [201, true]);
    const second = await ask();
    const turned = second.numbers.toReversed().join(', ');
    t.strictSame(await sign({ captcha_token: second.token, captcha: turned }), [201, true]);
    const wrong = await ask();
    t.strictSame(await sign({ captcha_token: wrong.token, captcha: '1 2 3' }), [422, 'captcha_invalid']);

    const host = await ask();
    const verdict = await post(
      `http://127.0.0.1:${system.ports.challengeAdmin}/host/verify`,
      { ...(await system.work()), captcha_token: host.token, captcha: host.numbers.join() },
      { authorization: `Bearer ${system.hostKey}` },
    );
    t.strictSame(verdict, { status: 200, json: { success: true, captcha_required: false } });

    const login = await ask();
    const { email, password } = system.demo ?? { email: '', password: '' };
    const signedIn = await post(`${system.address}/login`, {
      email,
      password,
      ...(await system.work()),
      captcha_token: login.token,
      captcha: login.numbers.join(),
    });
    t.equal(signedIn.status, 200, 'at a login too');
  });

  await t.test('a preset without a kind draws text in its size', async (t) => {
    const { url } = await issue(system, 'large');
    const png = Buffer.from(await (await fetch(url)).arrayBuffer());
    t.strictSame([png.readUInt32BE(16), png.readUInt32BE(20)], [800, 260], 'twice the displayed size');
    const unknown = await fetch(`${system.address}/api/captcha?preset=huge`);
    t.equal(unknown.status, 422);
  });

  t.equal(saved.length, 4);
}

interface Issued {
  readonly token: string;
  readonly url: string;
  readonly question: string;
  readonly words: readonly string[];
  readonly answer: string;
}

async function issue(system: HostedSystem, preset: string): Promise<Issued> {
  const response = await fetch(`${system.address}/api/captcha?preset=${preset}`);
  return (await response.json()) as Issued;
}

async function post(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: { code?: string; saved?: boolean } }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as { code?: string; saved?: boolean } };
}
