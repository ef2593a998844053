// The person command as run by an operator.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callCommand, spawnCommand } from '@tollgate/test-support/command.js';
import { eachKind, redisStore } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until } from '@tollgate/test-support/until.js';
import t, { type Test } from 'tap';
import { runPerson } from '../../src/cli/person.js';
import { openEmbeddedDirectory } from '../../src/directory/embedded-directory.js';
import { openSessionStore } from '../../src/stores/open-session-store.js';
import { logIn, refresh, SECRETS, startNode, withBearer } from '../support/session-node.js';
import { RULES } from '../support/session-rules.js';

const COMMAND = fileURLToPath(new URL('../../src/cli/person.js', import.meta.url));
const ANN = 'ann@example.com';

const person = (args: string[], env: Readonly<Record<string, string>>) =>
  callCommand(() => runPerson(args, env));

const countsOf = (text: string): Record<string, number> =>
  Object.fromEntries(
    JSON.parse(text).parts.map(({ part, items, erased }: { part: string; items?: []; erased: number }) => [
      part,
      items?.length ?? erased,
    ]),
  );

t.test('--help prints the usage; wrong arguments exit with 2', async (t) => {
  const help = await spawnCommand(COMMAND, ['--help']);
  t.match(help, { code: 0, error: '', out: /^usage: person export EMAIL\|ID/ });
  for (const args of [
    [],
    ['export'],
    ['remove', ANN],
    ['export', ANN, 'more'],
    ['export', '--id', '--email', ANN],
    ['erase', 'a b'],
    ['erase', '0'],
    ['export', '--all'],
    ['export', '@\n'],
  ])
    t.equal((await person(args, {})).code, 2, args.join(' '));
});

t.test('export and erase of a running service, from another process', async (t) => {
  await eachKind(t, async (t, { store, url }) => {
    const folder = tempDir(t);
    const users = join(folder, 'users.db');
    const directory = openEmbeddedDirectory(users);
    t.teardown(() => directory.close());
    await directory.add(ANN, 'not looked at');
    const node = await startNode(t, { store, directory });
    const held = await logIn(node, ANN);
    const audit = join(folder, 'audit.log');
    const env = {
      STORE_URL: url,
      USERS_URL: `file:${users}`,
      CHALLENGE_SECRET: SECRETS.CHALLENGE_SECRET,
      AUDIT_LOG: audit,
    };
    const found = await spawnCommand(COMMAND, ['export', ANN], env);
    t.match(found, { code: 0, error: '' });
    t.match(countsOf(found.out), { directory: 1, sessions: 1, account_events: 1 });
    t.notOk(existsSync(audit), 'an export writes nothing');
    t.equal((await person(['export', '1'], env)).code, 0, 'by id');

    const erased = await spawnCommand(COMMAND, ['erase', ANN], env);
    t.match(erased, { code: 0, error: '' });
    t.match(countsOf(erased.out), { directory: 1, sessions: 1, account_events: 1 });
    t.match(JSON.parse(readFileSync(audit, 'utf8')), { event: 'person_erased', sessions: 1, lines: 0 });
    t.equal(await directory.findById(1), undefined);
    t.equal((await refresh(node, held)).statusCode, 401);
    const isRevoked = async () => (await withBearer(node, 'GET', '/verify', held)).statusCode === 401;
    await until(isRevoked, 'the node to read the revocation');
    const again = await person(['export', ANN], env);
    t.equal(again.code, 3);
    t.equal(
      Object.values(countsOf(again.out)).reduce((sum, count) => sum + count),
      0,
    );
    const repeated = await person(['erase', ANN], env);
    t.equal(repeated.code, 3, 'an erasure can be repeated, and finds nothing');
    t.match(countsOf(repeated.out), { directory: 0, sessions: 0 });
  });
});

/** The variables of a store and of a directory in which Ann is the only user. */
async function openPlaces(t: Test) {
  const { store, url } = await redisStore(t);
  const users = join(tempDir(t), 'users.db');
  const directory = openEmbeddedDirectory(users);
  await directory.add(ANN, 'hash');
  await directory.close();
  await store.timeMs();
  return { STORE_URL: url, USERS_URL: `file:${users}`, DATA_DIR: dirname(users) };
}

t.test('the erasure of a misspelt address did not report success', async (t) => {
  const env = { ...(await openPlaces(t)), CHALLENGE_SECRET: SECRETS.CHALLENGE_SECRET };
  for (const wrong of ['anm@example.com', '7', 'auth0|ann']) {
    t.match(await person(['erase', wrong], env), {
      code: 3,
      error: 'person: nothing is stored of this person: check the address or the id\n',
    });
  }
  t.equal((await person(['erase', ANN], env)).code, 0);
});

t.test(
  'without AUDIT_LOG the event goes to the error output; with npm start the secret is found',
  async (t) => {
    const env = await openPlaces(t);
    t.match(await person(['export', ANN], env), { code: 1, error: /CHALLENGE_SECRET is missing/ });
    const { code, error } = await spawnCommand(COMMAND, ['erase', '1'], {
      ...env,
      CHALLENGE_SECRET: SECRETS.CHALLENGE_SECRET,
    });
    t.equal(code, 0);
    t.match(JSON.parse(error), { event: 'person_erased', sessions: 0 });
  },
);

t.test('a missing directory or store is an error, not an empty document', async (t) => {
  const { url } = await redisStore(t);
  const folder = tempDir(t);
  const secret = { CHALLENGE_SECRET: SECRETS.CHALLENGE_SECRET };
  t.match(await person(['export', ANN], { STORE_URL: url, DATA_DIR: folder, ...secret }), {
    code: 1,
    error: /there is no file:.*users\.db/,
  });
  t.notOk(existsSync(join(folder, 'users.db')));
  const users = join(folder, 'users.db');
  await openEmbeddedDirectory(users).close();
  t.match(
    await person(['erase', ANN], {
      STORE_URL: `file:${folder}/store.db`,
      USERS_URL: `file:${users}`,
      ...secret,
    }),
    {
      code: 1,
      error: /there is no file:/,
    },
  );
});

t.test('with a module as directory, and secrets in files, the account stays and the rest goes', async (t) => {
  const { store, url } = await redisStore(t);
  const folder = tempDir(t);
  const fileOf = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, `${text}\n`);
    return path;
  };
  const sessions = openSessionStore(store, 60_000);
  await sessions.start({ uid: 1, sid: 'a'.repeat(22), userAgent: 'a browser' }, RULES);
  const env = {
    STORE_URL_FILE: fileOf('store', url),
    CHALLENGE_SECRET_FILE: fileOf('secret', SECRETS.CHALLENGE_SECRET),
    USERS_URL: `module:${fileURLToPath(new URL('../../../test/directory/example-driver.js', import.meta.url))}`,
  };
  const { code, out } = await person(['erase', 'ada@example.com'], env);
  t.equal(code, 0);
  t.match(JSON.parse(out), {
    person: { id: 1, in_directory: true },
    elsewhere: [{ where: 'user directory' }],
  });
  t.match(countsOf(out), { directory: 0, sessions: 1 });
  t.strictSame(await sessions.list(1), []);
  t.equal((await person(['erase', 'ada@example.com'], env)).code, 0, 'the account is still found');
});
