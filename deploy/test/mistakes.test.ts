// What keeps a system from starting, as a person at the terminal reads it.
import { createServer } from 'node:net';
import t from 'tap';
import { startSystem } from '../src/system.js';
import { freePorts, launch } from './launcher.js';

t.test('a port in use is one clear line', async (t) => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  t.teardown(() => taken.close());
  const { port } = taken.address() as { port: number };
  t.match(await launch(t, { CHALLENGE_PORT: `${port}` }).ended, {
    code: 1,
    out: '',
    err: new RegExp(`^Port ${port} is in use; set CHALLENGE_PORT to another one[^\\n]*\\n$`),
  });
});

for (const [title, environment, line] of [
  ['a variable that both services read', { TRUST_PROXY: '3' }, /^TRUST_PROXY[^\n]*\n$/],
  ['a variable of one service', { ACCESS_TTL: 'soon' }, /^ACCESS_TTL[^\n]*\n$/],
  [
    'a path of the challenges that a file of the demo page has',
    { CAPTCHA_ROUTES_PREFIX: 'app.js' },
    /^CAPTCHA_ROUTES_PREFIX must not begin with "app\.js", which is a path of the demo page\.\n$/,
  ],
  ['a demo password that is too short', { DEMO_PASSWORD: 'short' }, /^[^\n]*8 characters[^\n]*\n$/],
] as const) {
  t.test(`${title} is complained of in one line`, async (t) => {
    t.match(await launch(t, environment).ended, { code: 1, out: '', err: line });
  });
}

t.test('an unreachable store is one clear line without its password', async (t) => {
  const environment = {
    DATA_DIR: t.testdir(),
    ...freePorts,
    STORE_URL: 'redis://user:secret-word@127.0.0.1:9',
  };
  await t.rejects(startSystem({ environment, storeMs: 500 }), {
    name: 'StartError',
    message: 'redis://127.0.0.1:9 cannot be reached (STORE_URL).',
  });
});
