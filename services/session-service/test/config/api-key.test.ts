// SESSION_API_KEY: long, printable, and different from the secrets.

import { configurationLines } from '@tollgate/test-support/configuration-lines.js';
import t from 'tap';
import { readSessionConfig } from '../../src/config.js';
import { API_KEY, PUBLIC_URL, SECRETS } from '../support/session-node.js';

function linesFor(key: string): readonly string[] {
  return configurationLines(() => readSessionConfig({ ...SECRETS, PUBLIC_URL, SESSION_API_KEY: key }));
}

t.test('an invalid key stops the start with a line that does not quote it', async (t) => {
  t.strictSame(linesFor(API_KEY), []);
  t.strictSame(linesFor('!-~/\\+"#$%&()*.:;<=>?@[]^_`{|}AZ09az'), []);
  const shape =
    'SESSION_API_KEY must be a key of at least 32 printable ASCII characters without spaces and commas';
  for (const key of ['short', API_KEY.slice(0, 31), `${API_KEY} x`, `${API_KEY},${API_KEY}`, `${API_KEY}ö`]) {
    t.strictSame(linesFor(key), [shape]);
  }
  for (const [name, secret] of Object.entries(SECRETS)) {
    t.strictSame(linesFor(secret), [`SESSION_API_KEY must not be an element of ${name}`]);
  }
});

t.test('a key with one repeated letter stops the start', async (t) => {
  t.match(linesFor('k'.repeat(32)), [/^SESSION_API_KEY is too easy to guess.*openssl rand -hex 32$/]);
});
