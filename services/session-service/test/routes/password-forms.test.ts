// One password in different Unicode forms, at every route with a password.

import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { openEmbeddedDirectory } from '../../src/directory/embedded-directory.js';
import { hashPassword } from '../../src/passwords/password-hash.js';
import { openServiceHere } from '../support/session-process.js';

const API_KEY = 'the-key-of-the-other-services-0123456789';
const EMAIL = 'ada@example.com';

/** As typed on Windows and Linux, and on macOS and iOS. */
const forms = (word: string) => [word.normalize('NFC'), word.normalize('NFD')] as const;

t.test(
  'a password set in one form was rejected in the other: login, step-up, change and reset',
  async (t) => {
    const users = join(tempDir(t), 'users.db');
    const directory = openEmbeddedDirectory(users);
    const [first, firstApart] = forms('m\u00f6tley cr\u00fce');
    await directory.add(EMAIL, await hashPassword(first));
    await directory.close();
    const { publicUrl, adminUrl } = await openServiceHere(t, {
      USERS_URL: `file:${users}`,
      SESSION_API_KEY: API_KEY,
    });
    const send = async (method: string, url: string, body: object, bearer = '') => {
      const answer = await fetch(url, {
        method,
        headers: {
          'content-type': 'application/json',
          origin: 'http://localhost:8080',
          ...(bearer && { authorization: `Bearer ${bearer}` }),
        },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        body: (text === '' ? {} : JSON.parse(text)) as { accessToken: string },
      };
    };
    const logIn = (password: string) => send('POST', `${publicUrl}/login`, { email: EMAIL, password });

    t.equal((await logIn(first)).status, 200);
    const { status, body } = await logIn(firstApart);
    t.equal(status, 200);
    const bearer = body.accessToken;
    for (const password of [first, firstApart])
      t.equal((await send('POST', `${publicUrl}/reauthenticate`, { password }, bearer)).status, 200);

    const [second, secondApart] = forms('caf\u00e9 cr\u00e8me');
    const change = { old_password: firstApart, new_password: secondApart };
    t.equal((await send('POST', `${publicUrl}/password`, change, bearer)).status, 204);
    for (const password of [second, secondApart]) t.equal((await logIn(password)).status, 200, 'changed');

    const [third, thirdApart] = forms('\u00e5ngstr\u00f6m unit');
    const reset = { new_password: thirdApart };
    t.equal((await send('PUT', `${adminUrl}/users/1/password`, reset, API_KEY)).status, 204);
    for (const password of [third, thirdApart]) t.equal((await logIn(password)).status, 200, 'reset');
    t.equal((await logIn(second)).status, 422);
  },
);
