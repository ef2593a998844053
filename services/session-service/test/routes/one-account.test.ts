// A login counts for the same account that it logs in to, over HTTP.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { openEmbeddedDirectory } from '../../src/directory/embedded-directory.js';
import { hashPassword } from '../../src/passwords/password-hash.js';
import { openServiceHere } from '../support/session-process.js';

const PASSWORD = 'right password';
const hash = await hashPassword(PASSWORD);
const FOLDING = new URL('../../../test/directory/folding-driver.js', import.meta.url).href;

type Service = Awaited<ReturnType<typeof openServiceHere>>;

function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'http://localhost:8080', ...headers },
    body: JSON.stringify(body),
  });
}

interface Body {
  readonly [field: string]: unknown;
  readonly accessToken: string;
  readonly errors: object;
}

async function bodyOf(answer: Response): Promise<Body> {
  return (await answer.json()) as Body;
}

/** A service whose directory module ignores accents, case, width and control characters. */
function openFolding(t: Test, account?: string): Promise<Service> {
  const path = join(tempDir(t), 'driver.mjs');
  writeFileSync(
    path,
    `import { foldingDirectory } from '${FOLDING}';
     export default foldingDirectory(${JSON.stringify({ hash, account })});`,
  );
  return openServiceHere(t, { USERS_URL: `module:${path}`, CAPTCHA_ESCALATION_AFTER: '3' });
}

t.test('control characters in an email are rejected before any other step', async (t) => {
  const users = join(tempDir(t), 'users.db');
  const directory = openEmbeddedDirectory(users);
  await directory.add('dave@example.com', hash);
  await directory.close();
  const { publicUrl } = await openServiceHere(t, {
    USERS_URL: `file:${users}`,
    CAPTCHA_ESCALATION_AFTER: '3',
  });
  const controls = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, n) => 0x7f + n)];
  const wrong = [
    ...controls.map((code) => `dave@example.com${String.fromCodePoint(code)}x`),
    ...[
      '\0dave@example.com',
      'da\0ve@example.com',
      'dave@example.com\0',
      'dave@example.com\n',
      ' ',
      '\u2028',
    ],
  ];
  for (const email of wrong) {
    const answer = await post(`${publicUrl}/login`, { email, password: PASSWORD });
    t.equal(answer.status, 422, encodeURIComponent(email));
    const { code, errors } = await bodyOf(answer);
    t.strictSame({ code, fields: Object.keys(errors) }, { code: 'validation_failed', fields: ['email'] });
  }
  t.equal(
    (await post(`${publicUrl}/login`, { email: ' DAVE@example.com ', password: PASSWORD })).status,
    200,
  );
});

t.test(
  '16 spellings that only the directory treats as one account are unknown accounts, even with its password',
  async (t) => {
    const { publicUrl, adminUrl, log } = await openFolding(t);
    const unknown = await post(`${publicUrl}/login`, { email: 'eve@example.com', password: PASSWORD });
    const expected = await bodyOf(unknown);
    const spellings = [...'àáâãäåāăą'].map((letter) => `ad${letter}@example.com`);
    spellings.push(...[...'èéêëēĕė'].map((letter) => `ada@${letter}xample.com`));
    t.equal(spellings.length, 16);
    for (const email of spellings) {
      const answer = await post(`${publicUrl}/login`, { email, password: PASSWORD });
      t.equal(answer.status, 422, email);
      t.match(await answer.json(), {
        code: expected.code,
        captcha_required: false,
        message: expected.message,
      });
    }
    const warnings = log.map((line) => JSON.parse(line)).filter(({ uid }) => uid === 1);
    t.equal(warnings.length, 16);
    t.match(warnings[0], {
      level: 'warn',
      msg: 'the directory returned this user for another account, which is treated as unknown',
    });
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    t.match(metrics, /^tollgate_directory_other_accounts_total 16$/m);
    t.equal(
      (await post(`${publicUrl}/login`, { email: 'ＡＤＡ@example.com', password: PASSWORD })).status,
      200,
    );
  },
);

t.test('guesses at a user name count for it both at a login and at a step-up', async (t) => {
  const { publicUrl } = await openFolding(t, 'Countess');
  const signedIn = await post(`${publicUrl}/login`, { email: 'countess', password: PASSWORD });
  t.equal(signedIn.status, 200);
  const { accessToken } = await bodyOf(signedIn);
  const again = (password: string) =>
    post(`${publicUrl}/reauthenticate`, { password }, { authorization: `Bearer ${accessToken}` });
  t.equal((await again(PASSWORD)).status, 200, 'the user name is found from the id of the session');
  for (let guess = 0; guess < 2; guess++) t.equal((await bodyOf(await again('wrong'))).code, 'login_failed');
  const third = await post(`${publicUrl}/login`, { email: 'COUNTESS', password: 'wrong' });
  t.match(await third.json(), { code: 'login_failed', captcha_required: true }, 'of one account');
  const other = await post(`${publicUrl}/login`, { email: 'ada@example.com', password: PASSWORD });
  t.match(await other.json(), { code: 'login_failed', captcha_required: false });
});
