// Variables that configure the user directory.

import { configurationLines } from '@tollgate/test-support/configuration-lines.js';
import t from 'tap';
import { readSessionConfig } from '../../src/config.js';

const REQUIRED = {
  ACCESS_SECRET: 'access-secret-of-this-test-0123456789',
  REFRESH_SECRET: 'refresh-secret-of-this-test-0123456789',
  ENCRYPTION_KEY: 'encryption-key-of-this-test-0123456789',
  CHALLENGE_SECRET: 'challenge-secret-of-this-test-0123456789',
  PUBLIC_URL: 'http://localhost:8080',
};
const STATEMENTS = { USERS_BY_EMAIL: 'SELECT 1 WHERE $1', USERS_BY_ID: 'SELECT 2 WHERE $1' };
const DATABASE = 'postgres://user:se-cret@host/database';

/** The error lines for these variables at the start. */
function mistakes(env: Record<string, string>): readonly string[] {
  return configurationLines(() => readSessionConfig({ ...REQUIRED, ...env }));
}

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
