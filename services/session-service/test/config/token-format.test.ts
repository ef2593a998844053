// Access token format: required keys and their errors.

import { createSigningKey } from '@tollgate/shared/crypto';
import { configurationLines } from '@tollgate/test-support/configuration-lines.js';
import t from 'tap';
import { readSessionConfig } from '../../src/config.js';
import { openTokenKeys } from '../../src/token-setup.js';
import { PUBLIC_URL, SECRETS } from '../support/session-node.js';

const KEY = createSigningKey('ES256');

const open = (env: Readonly<Record<string, string>>) =>
  openTokenKeys(readSessionConfig({ ...SECRETS, PUBLIC_URL, ...env }));
const linesFor = (env: Readonly<Record<string, string>>) => configurationLines(() => open(env));

t.test("each format requires its own keys, and accepts the other's", async (t) => {
  t.strictSame(linesFor({}), []);
  t.strictSame(linesFor({ ACCESS_SIGNING_KEYS: KEY }), []);
  t.strictSame(linesFor({ ACCESS_SIGNING_KEYS: KEY, ACCESS_TOKEN_FORMAT: 'public' }), []);
  t.strictSame(linesFor({ ACCESS_SIGNING_KEYS: KEY, ACCESS_TOKEN_FORMAT: 'public', ACCESS_SECRET: '' }), []);
  t.strictSame(linesFor({ ACCESS_TOKEN_FORMAT: 'public' }), [
    'ACCESS_SIGNING_KEYS is missing: it must be an output of keys create-signing-key, or a comma-separated list of them',
  ]);
  t.strictSame(linesFor({ ACCESS_SECRET: '', ACCESS_SIGNING_KEYS: KEY }), [
    'ACCESS_SECRET is missing: it must be a secret of at least 32 characters, or a comma-separated list of them',
  ]);
  t.strictSame(linesFor({ ACCESS_TOKEN_FORMAT: 'jwt' }), [
    'ACCESS_TOKEN_FORMAT must be one of sealed, public, not "jwt"',
  ]);
});

t.test('names that leave too little room in a public token stop the start with one line', async (t) => {
  const audiences = (count: number) =>
    Array.from({ length: count }, (_, at) => `a${at}`.padEnd(100, 'x')).join();
  const lines = (count: number, format = 'public') =>
    linesFor({
      ACCESS_SIGNING_KEYS: KEY,
      ACCESS_TOKEN_FORMAT: format,
      ACCESS_TOKEN_AUDIENCE: audiences(count),
    });
  t.strictSame(lines(8), []);
  t.strictSame(lines(9, 'sealed'), []);
  t.strictSame(lines(9), [
    'ACCESS_TOKEN_ISSUER, ACCESS_TOKEN_AUDIENCE and ACCESS_TOKEN_CLIENT_ID have more than 900 bytes together (unset, the first two are PUBLIC_URL): tokens would be too long to be accepted',
  ]);
});

t.test('a long PUBLIC_URL, the default issuer and audience, made tokens that nobody accepted', async (t) => {
  const lines = (length: number, own = {}) =>
    linesFor({
      ACCESS_SIGNING_KEYS: KEY,
      ACCESS_TOKEN_FORMAT: 'public',
      PUBLIC_URL: `https://auth.example/${'a'.repeat(length)}`,
      ...own,
    });
  t.strictSame(lines(400), []);
  t.match(lines(1000), [/^ACCESS_TOKEN_ISSUER, .* have more than 900 bytes together \(unset,/]);
  t.strictSame(lines(1000, { ACCESS_TOKEN_ISSUER: 'us', ACCESS_TOKEN_AUDIENCE: 'them' }), []);
});

t.test('an invalid signing key stops the start with one line that does not quote it', async (t) => {
  const form =
    'ACCESS_SIGNING_KEYS must be an output of keys create-signing-key, or a comma-separated list of them';
  for (const ACCESS_SIGNING_KEYS of [
    'x',
    `${KEY},`,
    `${KEY}A`,
    KEY.replace('ES', 'RS'),
    SECRETS.ACCESS_SECRET,
  ]) {
    t.strictSame(linesFor({ ACCESS_SIGNING_KEYS, ACCESS_TOKEN_FORMAT: 'public' }), [form]);
  }
  t.strictSame(linesFor({ ACCESS_SIGNING_KEYS: `ES256:${'A'.repeat(43)}` }), [
    'ACCESS_SIGNING_KEYS must contain outputs of keys create-signing-key, separated by commas',
  ]);
  t.strictSame(linesFor({ ACCESS_SIGNING_KEYS: `${KEY},${KEY}` }), [
    'ACCESS_SIGNING_KEYS must not have the same element twice',
  ]);
});

t.test('issuer and audience default to PUBLIC_URL', async (t) => {
  const names = (env: Readonly<Record<string, string>>) => {
    const { issuer, audiences, clientId } = open({ ACCESS_SIGNING_KEYS: KEY, ...env }).publicTokens ?? {};
    return { issuer, audiences, clientId };
  };
  t.strictSame(names({}), { issuer: PUBLIC_URL, audiences: [PUBLIC_URL], clientId: 'tollgate' });
  t.strictSame(
    names({ ACCESS_TOKEN_ISSUER: 'auth', ACCESS_TOKEN_AUDIENCE: 'a, b', ACCESS_TOKEN_CLIENT_ID: 'web' }),
    { issuer: 'auth', audiences: ['a', 'b'], clientId: 'web' },
  );
});
