// Whatever a directory returns, the account that is counted is the account of the user found.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { accountKey } from '@tollgate/shared/challenges/attempts/normalise.js';
import { anyCharacter } from '@tollgate/test-support/any-character.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { accountKeyOf, withAccounts } from '../../src/directory/accounts.js';
import type { Directory } from '../../src/directory/directory.js';
import { openEmbeddedDirectory } from '../../src/directory/embedded-directory.js';
import { openModuleDirectory } from '../../src/directory/module-directory.js';
import { openPostgresDirectory } from '../../src/directory/postgres-directory.js';
import { startPostgres } from '../support/postgres.js';

const FOLDING = new URL('../../../test/directory/folding-driver.js', import.meta.url).href;
const EXAMPLE = fileURLToPath(new URL('../../../test/directory/example-driver.js', import.meta.url));
const KNOWN = ['Ada@Example.com', 'bob@example.com'];

/** The general categories of Unicode. */
const CATEGORIES = [
  ...['Lu', 'Ll', 'Lt', 'Lm', 'Lo', 'Mn', 'Mc', 'Me', 'Nd', 'Nl', 'No', 'Pc', 'Pd', 'Ps', 'Pe', 'Pi'],
  ...['Pf', 'Po', 'Sm', 'Sc', 'Sk', 'So', 'Zs', 'Zl', 'Zp', 'Cc', 'Cf', 'Cs', 'Co', 'Cn'],
];

const LAST_CHARACTER = 0x10ffff;

/** Some characters of each category, of all planes. */
const SAMPLES = CATEGORIES.map((category) => {
  const isOfIt = new RegExp(`^\\p{${category}}$`, 'u');
  const found: string[] = [];
  for (let code = 0; code <= LAST_CHARACTER; code += code < 0x3000 ? 1 : 61) {
    const character = String.fromCodePoint(code);
    if (isOfIt.test(character)) found.push(character);
  }
  return fc.constantFrom(...found);
});

/** An address of somebody, with characters put in, before, after or in place of its own. */
const spelling = fc
  .record({
    email: fc.constantFrom(...KNOWN),
    inserted: fc.array(
      fc.record({
        character: fc.oneof(anyCharacter, ...SAMPLES),
        at: fc.nat(16),
        replaced: fc.nat(1),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ email, inserted }) => {
    const characters = [...email];
    for (const { character, at, replaced } of inserted) characters.splice(at, replaced, character);
    return characters.join('');
  });

async function embedded(t: Test): Promise<Directory> {
  const directory = openEmbeddedDirectory(join(tempDir(t), 'users.db'));
  t.teardown(() => directory.close());
  for (const email of KNOWN) await directory.add(email, 'hash');
  return directory;
}

async function postgres(t: Test): Promise<Directory> {
  const server = await startPostgres(t);
  // A collation that ignores case and accents, on the column itself.
  await server.sql(`
    CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
    CREATE TABLE users (id bigint PRIMARY KEY, email text COLLATE loose, hash text, disabled boolean);
    INSERT INTO users VALUES (1, 'Ada@Example.com', 'hash', false), (2, 'bob@example.com', 'hash', true)`);
  const directory = openPostgresDirectory(server.url, {
    byEmail: 'SELECT id, email, hash, disabled FROM users WHERE email = $1',
    byId: 'SELECT id, email, hash, disabled FROM users WHERE id = $1',
  });
  t.teardown(() => directory.close());
  return directory;
}

async function folding(t: Test): Promise<Directory> {
  const path = join(tempDir(t), 'driver.mjs');
  writeFileSync(
    path,
    `export { foldingDirectory } from '${FOLDING}'; import { foldingDirectory } from '${FOLDING}';
    export default () => foldingDirectory({ hash: 'hash' });`,
  );
  return openModuleDirectory(path);
}

const DIRECTORIES = {
  'the file': embedded,
  'PostgreSQL with a collation that ignores accents and case': postgres,
  'the example of a module': () => openModuleDirectory(EXAMPLE),
  'a module that folds more than the service': folding,
};

for (const [name, open] of Object.entries(DIRECTORIES)) {
  t.test(
    `${name}: no text of any Unicode category signs in as an account that it does not count for`,
    async (t) => {
      const directory = await open(t);
      const others: unknown[] = [];
      const accounts = withAccounts(directory, (id) => others.push(id));
      for (const email of KNOWN) {
        for (const same of [email, ` ${email.toUpperCase()} `, email.replace('e', '\uff45')])
          t.equal((await accounts.findByAccount(same))?.email, email, same);
      }
      t.strictSame(others, []);
      await fc.assert(
        fc.asyncProperty(spelling, async (text) => {
          const user = await accounts.findByAccount(text);
          if (user !== undefined && accountKeyOf(user) !== accountKey(text))
            throw new Error(`${JSON.stringify(text)} is ${user.email}`);
        }),
        { numRuns: 1500 },
      );
      if (name.includes('folds') || name.includes('ignores')) t.ok(others.length > 0, 'it returned others');
    },
  );
}

t.test('a user who is found by a user name counts under it, if the directory says so', async (t) => {
  const others: unknown[] = [];
  const ada = { id: 1, email: 'ada@example.com', hash: 'h', disabled: false };
  const findingBy = (account: string | undefined) =>
    withAccounts(
      {
        findByEmail: async () => ({ ...ada, account }),
        findById: async () => undefined,
        health: async () => {},
        close: async () => {},
      },
      (id) => others.push(id),
    );
  t.equal((await findingBy('Ada').findByAccount(' ADA '))?.id, 1);
  t.strictSame(others, []);
  t.equal(await findingBy('Ada').findByAccount('ada@example.com'), undefined, 'not by the address as well');
  t.equal(await findingBy(undefined).findByAccount('ada'), undefined, 'nor without saying so');
  t.strictSame(others, [1, 1]);
});
