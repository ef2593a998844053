// USERS_URL, and the directory in an operator's own module.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { USER_ID_WORDS } from '@tollgate/shared/schemas';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { DirectoryUnavailableError } from '../../src/directory/directory.js';
import { openModuleDirectory } from '../../src/directory/module-directory.js';
import { openDirectory } from '../../src/directory/open-directory.js';
import { parseUsersUrl } from '../../src/directory/users-url.js';
import { testDirectory } from './directory-contract.js';

const EXAMPLE = fileURLToPath(new URL('../../../test/directory/example-driver.js', import.meta.url));

/** A module with this text. */
function writeModule(t: Test, text: string): string {
  const path = join(tempDir(t), 'driver.mjs');
  writeFileSync(path, text);
  return path;
}

/** A complete driver with some methods replaced. */
function driver(methods: string): string {
  return `const user = { id: 1, email: 'e@x.org', hash: 'h', disabled: false };
    export default {
      findByEmail: async () => user, findById: async () => user, health: async () => {}, close: async () => {},
      ${methods}
    };`;
}

async function complaint(asked: Promise<unknown>): Promise<string> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof DirectoryUnavailableError && error.cause === undefined
    ? error.message
    : 'no complaint';
}

t.test('the example fulfils the directory contract', async (t) => {
  await testDirectory(t, async () => {
    const { saveHash, ...directory } = await openModuleDirectory(EXAMPLE);
    if (saveHash === undefined) throw new TypeError('a driver that saves no hash');
    return {
      directory: { ...directory, saveHash },
      ada: { id: 1, email: 'Ada@Example.com', hash: 'hash of ada', disabled: false },
      bob: { id: 2, email: 'bob@example.com', hash: 'hash of bob', disabled: true },
    };
  });
});

t.test('a module with text ids fulfils it too', async (t) => {
  const id = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
  const text = readFileSync(EXAMPLE, 'utf8')
    .replace('[1, { id: 1,', `['${id}', { id: '${id}',`)
    .replace('[2, { id: 2,', "['bob', { id: 'bob',");
  const path = writeModule(t, text);
  await testDirectory(t, async () => {
    const { saveHash, ...directory } = await openModuleDirectory(path);
    if (saveHash === undefined) throw new TypeError('a driver that saves no hash');
    return {
      directory: { ...directory, saveHash },
      ada: { id, email: 'Ada@Example.com', hash: 'hash of ada', disabled: false },
      bob: { id: 'bob', email: 'bob@example.com', hash: 'hash of bob', disabled: true },
    };
  });
});

t.test('a module: URL is relative to the given folder', async (t) => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const directory = await openDirectory('module:./test/directory/example-driver.js', root);
  t.match(await directory.findById(1), { email: 'Ada@Example.com' });
});

t.test('the default export is a driver, or a function that returns one', async (t) => {
  const text = driver('');
  const forms = [
    text,
    text.replace('export default', 'const driver =').concat('export default () => driver;'),
    text.replace('export default', 'const driver =').concat('export default async () => driver;'),
  ];
  for (const form of forms) {
    const directory = await openModuleDirectory(writeModule(t, form));
    t.match(await directory.findById(1), { email: 'e@x.org' });
    t.notOk('saveHash' in directory, 'what the driver cannot do the directory cannot');
    await t.resolves(directory.health());
    await directory.close();
    await directory.close();
  }
});

t.test('claims are copied as JSON; null, an empty text and an empty object mean no claims', async (t) => {
  const user = (claims: string) =>
    `export default { findByEmail: () => ({ id: 3, email: 'e@x.org', hash: 'h', disabled: false, claims: ${claims} }),
      findById() {}, health() {}, close() {} };`;
  for (const [claims, expected] of [
    ["{ roles: ['a'], at: new Date(0), not: undefined }", { roles: ['a'], at: '1970-01-01T00:00:00.000Z' }],
    [`'{"roles":["a"]}'`, { roles: ['a'] }],
    ["{ roles: 'x'.repeat(1012) }", { roles: 'x'.repeat(1012) }],
    ...['null', 'undefined', "' '", '{}', "'null '", '{ not: undefined }'].map(
      (none) => [none, undefined] as const,
    ),
  ] as const) {
    const directory = await openModuleDirectory(writeModule(t, user(claims)));
    const found = await directory.findByEmail('e@x.org');
    t.strictSame(found?.claims, expected, claims);
    t.equal('claims' in (found ?? {}), expected !== undefined);
  }
});

t.test('the account key is copied; null means none, and other values than texts are rejected', async (t) => {
  const user = (account: string) =>
    `export default { findByEmail: () => ({ id: 3, email: 'e@x.org', hash: 'h', disabled: false, account: ${account} }),
      findById() {}, health() {}, close() {} };`;
  const find = async (account: string) =>
    (await openModuleDirectory(writeModule(t, user(account)))).findByEmail('ada');
  t.equal((await find("'Ada'"))?.account, 'Ada');
  for (const none of ['null', 'undefined']) t.notOk('account' in ((await find(none)) ?? {}));
  for (const wrong of ["''", '7', '{}'])
    t.equal(
      await complaint(find(wrong)),
      "the driver's findByEmail returned a user whose account is not a text",
    );
});

t.test('a method is called on its driver', async (t) => {
  const text = `export default new (class {
    #users = [{ id: 3, email: 'e@x.org', hash: 'h', disabled: false, more: 'of it' }];
    findByEmail(key) { return this.#users.find(({ email }) => email === key); }
    findById(id) { return this.#users.find((user) => user.id === id) ?? null; }
    saveHash(id) { return this.#users[0].id === id; }
    health() {}
    close() {}
  })();`;
  const directory = await openModuleDirectory(writeModule(t, text));
  t.strictSame(await directory.findByEmail('e@x.org'), {
    id: 3,
    email: 'e@x.org',
    hash: 'h',
    disabled: false,
  });
  t.equal(await directory.findById(4), undefined, 'null is nobody');
  t.equal(await directory.saveHash?.(3, 'h', 'new'), true);
  await t.resolves(directory.health());
});

t.test('an export that is not a driver is rejected at the start, in one line', async (t) => {
  const noDriver = 'names a module whose default export is neither a driver nor a function that returns one';
  const cases = {
    'export const directory = {};': noDriver,
    'export default undefined;': noDriver,
    'export default () => {};': noDriver,
    "export default 'driver';": noDriver,
    'export default {};': 'names a module whose driver has no method findByEmail, findById, health, close',
    [driver('findById: 1')]: 'names a module whose driver has no method findById',
    [driver('saveHash: true')]: 'names a module whose driver has a saveHash that is not a method',
    "throw new TypeError('secret');": 'names a module that cannot be loaded: it threw TypeError',
    "throw 'secret';": 'names a module that cannot be loaded: it threw a non-error value',
    "export default () => { throw new RangeError('secret'); };":
      'names a module whose default export threw RangeError: secret',
    'export default {': 'names a module that cannot be loaded: Unexpected end of input',
  };
  for (const [text, message] of Object.entries(cases)) {
    await t.rejects(openModuleDirectory(writeModule(t, text)), new RangeError(message));
  }
  await t.rejects(openModuleDirectory('/nowhere/driver.js'), {
    name: 'RangeError',
    message: /^names a module that cannot be loaded: Cannot find module '\/nowhere\/driver\.js'[^\n]*$/,
  });
});

t.test('a module that waited for its database left the service without a log line', async (t) => {
  const never = 'await new Promise(() => {});';
  for (const text of [`export default async () => { ${never} };`, `${never} ${driver('')}`]) {
    await t.rejects(
      openModuleDirectory(writeModule(t, text), 2000, 50),
      new RangeError('names a module that returned nothing within 50 ms: it must not wait for its database'),
    );
  }
});

t.test('an invalid user is rejected, and no value is disclosed', async (t) => {
  const found = 'findByEmail: async () =>';
  const NO_ID = `a user whose id is not ${USER_ID_WORDS}`;
  const NO_CLAIMS = 'a user whose claims are not a JSON object of at most 1024 bytes';
  const cases = {
    [`${found} 'secret'`]: 'something other than a user',
    [`${found} ({})`]: 'a user without id',
    [`${found} ({ ...user, id: '1' })`]: NO_ID,
    [`${found} ({ ...user, id: 2 ** 53 })`]: NO_ID,
    [`${found} ({ ...user, id: 1n })`]: NO_ID,
    [`${found} ({ ...user, id: 'a:b' })`]: NO_ID,
    [`${found} ({ ...user, id: 'a\\nb' })`]: NO_ID,
    [`${found} ({ ...user, id: 'x'.repeat(65) })`]: NO_ID,
    [`${found} ({ ...user, id: '\\u0430nn' })`]: NO_ID,
    [`${found} ({ ...user, id: ['a'] })`]: NO_ID,
    [`${found} ({ ...user, email: '' })`]: 'a user whose email is not a text',
    [`${found} ({ ...user, hash: null })`]: 'a user whose hash is not a text',
    [`${found} ({ ...user, disabled: 0 })`]: 'a user whose disabled is not true or false',
    [`${found} ({ ...user, claims: ['secret'] })`]: NO_CLAIMS,
    [`${found} ({ ...user, email: 'é'.repeat(254), claims: { a: 'x'.repeat(1000) } })`]:
      'a user whose email and claims have more than 1278 bytes together',
    [`${found} ({ ...user, claims: 'secret' })`]: NO_CLAIMS,
    [`${found} ({ ...user, claims: { big: 1n } })`]: NO_CLAIMS,
    [`${found} ({ ...user, claims: { roles: 'x'.repeat(1013) } })`]: NO_CLAIMS,
    [`${found} ({ ...user, claims: () => ({}) })`]: NO_CLAIMS,
  };
  for (const [method, words] of Object.entries(cases)) {
    const directory = await openModuleDirectory(writeModule(t, driver(method)));
    t.equal(await complaint(directory.findByEmail('e@x.org')), `the driver's findByEmail returned ${words}`);
  }
});

t.test('a disabled user is disabled even with invalid claims', async (t) => {
  for (const claims of ["['secret']", "{ a: 'x'.repeat(2000) }"]) {
    const found = `findByEmail: async () => ({ ...user, disabled: true, claims: ${claims} })`;
    const directory = await openModuleDirectory(writeModule(t, driver(found)));
    t.match(await directory.findByEmail('e@x.org'), { disabled: true, claims: undefined });
  }
});

t.test('a driver that fails or does not respond counts as an unresponsive directory', async (t) => {
  const methods = `
    findByEmail: async () => { throw new Error('secret'); },
    findById: () => new Promise(() => {}),
    saveHash: async () => 1,
    health: () => { throw new TypeError('secret'); }`;
  const directory = await openModuleDirectory(writeModule(t, driver(methods)), 20);
  t.equal(await complaint(directory.findByEmail('e@x.org')), "the driver's findByEmail threw Error: secret");
  t.equal(await complaint(directory.findById(1)), "the driver's findById returned nothing within 20 ms");
  t.equal(
    await complaint(directory.saveHash?.(1, 'h', 'new') ?? Promise.resolve()),
    "the driver's saveHash returned neither true nor false",
  );
  t.equal(await complaint(directory.health()), "the driver's health threw TypeError: secret");
  const other = await openModuleDirectory(writeModule(t, driver('')));
  t.equal(
    await complaint(other.findById(2)),
    "the driver's findById returned another user than the requested one",
  );
});

t.test('a driver error was reported without its message; now only its values are hidden', async (t) => {
  const hash = '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$aGFzaA';
  const cases: [thrown: string, told: string][] = [
    ['connect ECONNREFUSED 10.0.0.7:3306', 'connect ECONNREFUSED 10.0.0.7:3306'],
    ["Table 'shop.members' does not exist", 'Table [hidden] does not exist'],
    ['relation "members" does not exist', 'relation "members" does not exist'],
    ['invalid input syntax for type integer: "hunter2"', 'invalid input syntax for type integer: [hidden]'],
    ['Key (email)=(bob@example.com) already exists', 'Key (email)=([hidden]) already exists'],
    ['no row for e@x.org or Bob.B+x@Example.co.uk', 'no row for [hidden] or [hidden]'],
    [`stored hash ${hash} is odd`, 'stored hash [hidden] is odd'],
    ['mysql://root:hunter2@db/shop refused', 'mysql://db/shop refused'],
    ['query failed, params: 1, hunter2', 'query failed, params [hidden]'],
    ['token eyJhbGciOiJIUzI1NiJ9eyJzdWIiOiIxIn0 is bad', 'token [hidden] is bad'],
    ['first line\nsecond hunter2', 'first line'],
    ['x'.repeat(20).concat(' ').repeat(20), `${'x'.repeat(20).concat(' ').repeat(20).slice(0, 200)}…`],
    ['', ''],
  ];
  for (const [thrown, told] of cases) {
    const methods = `findByEmail: async () => { throw new Error(${JSON.stringify(thrown)}); }`;
    const directory = await openModuleDirectory(writeModule(t, driver(methods)));
    t.equal(
      await complaint(directory.findByEmail('e@x.org')),
      `the driver's findByEmail threw Error${told === '' ? '' : `: ${told}`}`,
    );
  }
  const repeats = `saveHash: async (...given) => { throw new Error('cannot save ' + given.join(' and ')); }`;
  const directory = await openModuleDirectory(writeModule(t, driver(repeats)));
  t.equal(
    await complaint(directory.saveHash?.(123, 'old words', 'new words') ?? Promise.resolve()),
    "the driver's saveHash threw Error: cannot save [hidden] and [hidden] and [hidden]",
  );
});

// Accepted values of USERS_URL.

t.test(
  'file and module paths are resolved against the given folder, a database URL is unchanged',
  async (t) => {
    const cases = {
      'file:data/users.db': { kind: 'embedded', path: '/root/data/users.db' },
      'file:/var/users.db': { kind: 'embedded', path: '/var/users.db' },
      'module:./users.js': { kind: 'module', path: '/root/users.js' },
      'postgres://u:p@h/d': { kind: 'postgres', url: 'postgres://u:p@h/d' },
      'postgresql:///d?host=/run': { kind: 'postgres', url: 'postgresql:///d?host=/run' },
    };
    for (const [url, place] of Object.entries(cases)) t.strictSame(parseUsersUrl(url, '/root'), place);
  },
);

t.test('any other URL is rejected without being quoted', async (t) => {
  const wrong = ['', 'file:', 'module:', 'users.db', 'postgres:u:p@h/d', 'mysql://u:p@h/d', 'constructor:x'];
  const words = 'must be file:PATH, postgres://USER:PASSWORD@HOST/DATABASE or module:PATH';
  for (const url of wrong) t.throws(() => parseUsersUrl(url, '/'), new RangeError(words));
});
