// Variables of the service: the API key, the user directory and the access token format.

import { createSigningKey } from '@tollgate/shared/crypto';
import { configurationLines } from '@tollgate/test-support/configuration-lines.js';
import t from 'tap';
import { readSessionConfig } from '../src/config.js';
import { openTokenKeys } from '../src/token-setup.js';
import { API_KEY, PUBLIC_URL, SECRETS } from './support/session-node.js';

const STATEMENTS = { USERS_BY_EMAIL: 'SELECT 1 WHERE $1', USERS_BY_ID: 'SELECT 2 WHERE $1' };
const DATABASE = 'postgres://user:se-cret@host/database';
const KEY = createSigningKey('ES256');

// The user directory.

const REQUIRED = {
  ACCESS_SECRET: 'access-secret-of-this-test-0123456789',
  REFRESH_SECRET: 'refresh-secret-of-this-test-0123456789',
  ENCRYPTION_KEY: 'encryption-key-of-this-test-0123456789',
  CHALLENGE_SECRET: 'challenge-secret-of-this-test-0123456789',
  PUBLIC_URL: 'http://localhost:8080',
};

/** The error lines for these variables at the start. */
function mistakes(env: Record<string, string>): readonly string[] {
  return configurationLines(() => readSessionConfig({ ...REQUIRED, ...env }));
}

t.test('AUDIT_LOG_DAYS without AUDIT_LOG is logged', async (t) => {
  const warningsOf = (env: Record<string, string>) => readSessionConfig({ ...REQUIRED, ...env }).warnings;
  t.strictSame(warningsOf({ AUDIT_LOG_DAYS: '30' }), ['AUDIT_LOG_DAYS has no effect without AUDIT_LOG']);
  t.strictSame(warningsOf({ AUDIT_LOG_DAYS: '30', AUDIT_LOG: 'audit.log' }), []);
  t.strictSame(mistakes({ AUDIT_LOG_DAYS: '0', AUDIT_LOG: 'audit.log' }).length, 1);
});

t.test('users are in a file in DATA_DIR by default', async (t) => {
  const config = readSessionConfig({ ...REQUIRED, DATA_DIR: '/var/lib/tollgate', USERS_URL: '' });
  t.equal(config.usersUrl, 'file:/var/lib/tollgate/users.db');
  t.strictSame(config.userStatements, { byEmail: undefined, byId: undefined, saveHash: undefined });
});

t.test('the three kinds of directory are accepted', async (t) => {
  for (const USERS_URL of ['file:users.db', 'module:./users.js']) t.strictSame(mistakes({ USERS_URL }), []);
  for (const USERS_URL of [DATABASE, DATABASE.replace('postgres:', 'postgresql:')]) {
    const config = readSessionConfig({ ...REQUIRED, ...STATEMENTS, USERS_URL });
    t.equal(config.usersUrl, USERS_URL);
    t.match(config.userStatements, { byEmail: 'SELECT 1 WHERE $1', byId: 'SELECT 2 WHERE $1' });
  }
});

t.test('any other USERS_URL stops the start and is not shown', async (t) => {
  const line = 'USERS_URL must be file:PATH, postgres://USER:PASSWORD@HOST/DATABASE or module:PATH';
  for (const USERS_URL of [
    'mysql://u:se-cret@h/d',
    'users.db',
    'file:',
    'postgres:u:se-cret@h',
    'POSTGRES://h',
  ]) {
    t.strictSame(mistakes({ USERS_URL }), [line]);
  }
});

t.test('postgres requires its two queries; each missing one is a line', async (t) => {
  const missing = (name: string) =>
    `${name} is missing: with postgres:// it must be a statement that finds a user by $1`;
  t.strictSame(mistakes({ USERS_URL: DATABASE }), [missing('USERS_BY_EMAIL'), missing('USERS_BY_ID')]);
  const { USERS_BY_EMAIL } = STATEMENTS;
  t.strictSame(mistakes({ USERS_URL: DATABASE, USERS_BY_EMAIL }), [missing('USERS_BY_ID')]);
});

t.test('a statement uses exactly its placeholders', async (t) => {
  const wrong = {
    USERS_BY_EMAIL: 'SELECT 1',
    USERS_BY_ID: 'SELECT $1, $2',
    USERS_SAVE_HASH: 'UPDATE t SET hash = $2 WHERE id = $1',
  };
  t.strictSame(mistakes({ USERS_URL: DATABASE, ...wrong }), [
    'USERS_BY_EMAIL must use $1 and no other placeholder',
    'USERS_BY_ID must use $1 and no other placeholder',
    'USERS_SAVE_HASH must use $1, $2, $3 and no other placeholder',
  ]);
  const saveHash = 'UPDATE t SET hash = $3 WHERE id = $1 AND hash = $2';
  t.strictSame(mistakes({ USERS_URL: DATABASE, ...STATEMENTS, USERS_SAVE_HASH: saveHash }), []);
  t.strictSame(mistakes({ ...wrong, USERS_URL: 'file:users.db' }), [], 'elsewhere they mean nothing');
});

t.test('in production the embedded directory requires explicit consent', async (t) => {
  const production = {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://app.example.com',
    STORE_URL: 'redis://localhost',
    CAPTCHA_CACHE_STORE: 'redis://localhost',
  };
  const line =
    'USERS_URL must name an external directory with NODE_ENV=production, unless ALLOW_EMBEDDED=true';
  t.strictSame(mistakes(production), [line]);
  t.strictSame(mistakes({ ...production, USERS_URL: 'file:users.db' }), [line]);
  t.strictSame(mistakes({ ...production, ALLOW_EMBEDDED: 'true' }), []);
  t.strictSame(mistakes({ ...production, ...STATEMENTS, USERS_URL: DATABASE }), []);
  t.strictSame(mistakes({ ...production, USERS_URL: 'module:./users.js' }), []);
});

// SESSION_API_KEY: long, printable, and different from the secrets.

function linesForKey(key: string): readonly string[] {
  return configurationLines(() => readSessionConfig({ ...SECRETS, PUBLIC_URL, SESSION_API_KEY: key }));
}

t.test('an invalid key stops the start with a line that does not quote it', async (t) => {
  t.strictSame(linesForKey(API_KEY), []);
  t.strictSame(linesForKey('!-~/\\+"#$%&()*.:;<=>?@[]^_`{|}AZ09az'), []);
  const shape =
    'SESSION_API_KEY must be a key of at least 32 printable ASCII characters without spaces and commas';
  for (const key of ['short', API_KEY.slice(0, 31), `${API_KEY} x`, `${API_KEY},${API_KEY}`, `${API_KEY}ö`]) {
    t.strictSame(linesForKey(key), [shape]);
  }
  for (const [name, secret] of Object.entries(SECRETS)) {
    t.strictSame(linesForKey(secret), [`SESSION_API_KEY must not be an element of ${name}`]);
  }
});

t.test('a key with one repeated letter stops the start', async (t) => {
  t.match(linesForKey('k'.repeat(32)), [/^SESSION_API_KEY is too easy to guess.*openssl rand -hex 32$/]);
});

// Access token format: required keys and their errors.

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

// The page cookie.

t.test('PAGE_COOKIE requires a login page, https or this machine, and pages on the same host', async (t) => {
  const PAGE = { PAGE_COOKIE: 'true', PAGE_LOGIN_URL: '/sign-in' };
  const https = { PUBLIC_URL: 'https://example.com' };
  t.strictSame(mistakes(PAGE), []);
  for (const CORS_ORIGIN of ['https://example.com', 'https://example.com:8443'])
    t.strictSame(mistakes({ ...PAGE, ...https, CORS_ORIGIN }), []);
  t.strictSame(mistakes({ PAGE_COOKIE: 'true' }), ['PAGE_LOGIN_URL is missing: PAGE_COOKIE=true needs it']);
  t.strictSame(mistakes({ ...PAGE, PUBLIC_URL: 'http://example.com' }), [
    'PAGE_COOKIE must be false unless PUBLIC_URL begins with https://, not http://example.com',
  ]);
  t.strictSame(mistakes({ ...PAGE, ...https, CORS_ORIGIN: 'https://app.example.com' }), [
    'PAGE_COOKIE must be false unless pages and services have the same host: CORS_ORIGIN is https://app.example.com, PUBLIC_URL is https://example.com',
  ]);
  for (const PAGE_LOGIN_URL of ['sign-in', '//evil.example', '/a b', '/\\evil.example', 'javascript:x'])
    t.strictSame(mistakes({ ...PAGE, PAGE_LOGIN_URL }).length, 1, PAGE_LOGIN_URL);
  for (const PAGE_LOGIN_URL of ['/', '/sign-in?x=1', 'https://id.example.com/login'])
    t.strictSame(mistakes({ ...PAGE, PAGE_LOGIN_URL }), [], PAGE_LOGIN_URL);
});
