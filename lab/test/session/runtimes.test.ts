// `@tollgate/session` in Node, Deno, Bun and workerd, with the running session-service.

import { join } from 'node:path';
import { createSigningKey } from '@tollgate/shared/crypto';
import { freePort } from '@tollgate/test-support/free-port.js';
import { serve } from '@tollgate/test-support/serve.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { freePorts } from '@tollgate/tests/launcher/launch.js';
import { startServiceHere } from '@tollgate/tests/system/services-here.js';
import { startSystem } from '@tollgate/tools/launcher/system.js';
import t from 'tap';
import { installRuntimes, runtimes } from '../verify/runtimes.js';
import type { Question } from './scenario.js';

await installRuntimes();

const scenario = join(import.meta.dirname, 'scenario.js');
const FORMATS = {
  sealed: {},
  ES256: { ACCESS_TOKEN_FORMAT: 'public', ACCESS_SIGNING_KEYS: createSigningKey('ES256') },
  EdDSA: { ACCESS_TOKEN_FORMAT: 'public', ACCESS_SIGNING_KEYS: createSigningKey('EdDSA') },
};

const silent = await serve(t, () => {});

/** Starts the services with a format of tokens, and logs a user in twice. */
async function prepare(format: keyof typeof FORMATS): Promise<{ email: string; question: Question }> {
  const publicUrl = `http://localhost:${await freePort()}`;
  const system = await startSystem({
    startService: startServiceHere,
    environment: {
      ...freePorts,
      DATA_DIR: tempDir(t),
      PUBLIC_URL: publicUrl,
      CAPTCHA_POW_ENABLED: 'false',
      CAPTCHA_ESCALATION_AFTER: '100',
      PAGE_COOKIE: 'true',
      PAGE_LOGIN_URL: '/sign-in',
      ...FORMATS[format],
    },
  });
  t.teardown(() => system.stop());
  const service = `http://127.0.0.1:${system.ports.session}`;
  const { email = '', password = '' } = system.demo ?? {};
  const logIn = async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ email, password });
    const answer = await fetch(`${service}/login`, { method: 'POST', headers, body });
    const pairs = answer.headers.getSetCookie().map((header) => header.split(';')[0] ?? '');
    const cookie = pairs.find((pair) => pair.startsWith('page=')) ?? '';
    return { cookie, accessToken: ((await answer.json()) as { accessToken: string }).accessToken };
  };
  const [{ cookie }, ended] = [await logIn(), await logIn()];
  const authorization = `Bearer ${ended.accessToken}`;
  await fetch(`${service}/logout`, { method: 'POST', headers: { authorization } });
  const moved = await serve(t, (request, response) => {
    response.writeHead(307, { location: `${service}${request.url}` }).end();
  });
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const isPublic = format !== 'sealed';
  const places = { publicUrl, service, nowhere, silent, moved };
  return { email, question: { ...places, isPublic, cookie, ended: ended.cookie } };
}

for (const format of Object.keys(FORMATS) as (keyof typeof FORMATS)[]) {
  const { email, question } = await prepare(format);
  const unknown = 'SessionUnavailableError';
  const common = (way: string) => ({
    [`${way}: a user`]: email,
    [`${way}: HEAD`]: email,
    [`${way}: POST`]: 'nobody',
    [`${way}: no cookie`]: 'nobody',
    [`${way}: a changed cookie`]: 'nobody',
    // Without the service it counts until its cookie expires.
    [`${way}: an ended session`]: way === 'keys' ? email : 'nobody',
    [`${way}: many at once`]: Array.from({ length: 20 }, () => email).join(),
    [`${way}: a service that is away`]: unknown,
    [`${way}: a silent service`]: unknown,
    [`${way}: a redirect`]: unknown,
    [`${way}: where to continue`]: '/refresh/continue?to=%2Forders%3Fa%3Db',
  });
  const expected = { ...common('service'), ...(question.isPublic && common('keys')) };
  for (const [name, play] of Object.entries(runtimes)) {
    t.test(`every outcome of ${format} cookies in ${name}`, async (t) => {
      t.strictSame(await play(t, question, scenario), expected);
    });
  }
}
