// The export and erasure of a person whose account is in PostgreSQL, by the command and on the admin port.

import { fileURLToPath } from 'node:url';
import { spawnCommand } from '@tollgate/test-support/command.js';
import { eachKind, type StoreUnderTest } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { openPostgresDirectory } from '../../src/directory/postgres-directory.js';
import type { PersonErasure } from '../../src/person/person-bodies.js';
import { startPostgres } from '../support/postgres.js';
import { API_KEY, logIn, refresh, SECRETS, startNode, withBearer } from '../support/session-node.js';

const COMMAND = fileURLToPath(new URL('../../src/cli/person.js', import.meta.url));
const ANN = 'ann@example.com';
const BOB = 'bob@example.com';

const server = await startPostgres(t);
const STATEMENTS = {
  byEmail: 'SELECT id, email, hash, disabled FROM users WHERE lower(email) = $1',
  byId: 'SELECT id, email, hash, disabled FROM users WHERE id = $1',
};

type Action = 'export' | 'erase';
/** An export or an erasure. */
interface Document extends Pick<PersonErasure, 'person' | 'elsewhere'> {
  readonly parts: readonly { readonly part: string; readonly items?: unknown[]; readonly erased?: number }[];
}
/** Returns the document, or an object with the error. */
type Ask = (action: Action, by: { id: string } | { email: string }) => Promise<Document>;

/** A service whose users are in PostgreSQL. Both have a session, a failed login, and a void of their devices. */
async function usedService(t: Test, { store, url }: StoreUnderTest) {
  await server.sql(`
    DROP TABLE IF EXISTS users;
    CREATE TABLE users (id text PRIMARY KEY, email text, hash text, disabled boolean);
    INSERT INTO users VALUES
      ('ann-1', 'Ann@Example.com', 'secret hash of ann', false), ('bob-1', '${BOB}', 'secret hash of bob', false)`);
  const patient = { connectMs: 20_000, statementMs: 20_000 };
  const directory = openPostgresDirectory(server.url, STATEMENTS, patient);
  t.teardown(() => directory.close());
  const node = await startNode(t, { store, directory });
  const use = async (email: string, id: string) => {
    await node.admin.inject({
      method: 'DELETE',
      url: `/users/${id}/sessions`,
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    const held = await logIn(node, email);
    await node.app.inject({ method: 'POST', url: '/login', payload: { email, password: 'wrong' } });
    return held;
  };
  const [ann, bob] = [await use(ANN, 'ann-1'), await use(BOB, 'bob-1')];
  const onAdminPort: Ask = async (action, payload) => {
    const answer = await node.admin.inject({
      method: 'POST',
      url: `/person/${action}`,
      headers: { authorization: `Bearer ${API_KEY}` },
      payload,
    });
    return answer.json();
  };
  const byCommand: Ask = async (action, by) => {
    const { out, error } = await spawnCommand(COMMAND, [action, ...Object.values(by)], {
      STORE_URL: url,
      USERS_URL: server.url,
      USERS_BY_EMAIL: STATEMENTS.byEmail,
      USERS_BY_ID: STATEMENTS.byId,
      CHALLENGE_SECRET: SECRETS.CHALLENGE_SECRET,
    });
    return out === '' ? { error } : JSON.parse(out);
  };
  return { node, ann, bob, ways: { 'admin port': onAdminPort, command: byCommand } };
}

/** The number of items, or of erased entries, by part; parts without any are left out. */
const counts = ({ parts }: Document) =>
  Object.fromEntries(
    parts
      .map((part): [string, number] => [part.part, part.items?.length ?? part.erased ?? 0])
      .filter(([, count]) => count > 0),
  );

for (const way of ['admin port', 'command'] as const) {
  t.test(`${way}: the account stays in PostgreSQL, until the application deletes it`, async (t) => {
    await eachKind(t, async (t, place) => {
      const { node, ann, bob, ways } = await usedService(t, place);
      const ask = ways[way];
      const exported = await ask('export', { email: ANN });
      t.strictSame(exported.person, { id: 'ann-1', email: 'Ann@Example.com', in_directory: true });
      t.strictSame(exported.parts.find(({ part }) => part === 'directory')?.items, [
        { id: 'ann-1', email: 'Ann@Example.com', disabled: false, has_password: true },
      ]);
      t.match(counts(exported), { sessions: 1, device_void: 1, account_events: 2, failure_counters: 2 });
      for (const other of [BOB, 'bob-1', 'secret hash']) t.notOk(JSON.stringify(exported).includes(other));

      const rows = await server.sql('SELECT * FROM users ORDER BY id');
      const erasure = await ask('erase', { email: ANN });
      t.strictSame(erasure.person, exported.person, 'still in the directory');
      t.match(erasure.elsewhere, [
        { where: 'user directory', until: /by id, and by address/ },
        { where: 'stores', what: /^Failure counters and the void/ },
      ]);
      const { directory, failure_counters, device_void, ...others } = counts(exported);
      t.strictSame(counts(erasure), others, 'all but the account and what protects it');
      t.strictSame(await server.sql('SELECT * FROM users ORDER BY id'), rows);
      t.equal((await refresh(node, ann)).statusCode, 401);
      t.strictSame(counts(await ask('export', { id: 'ann-1' })), {
        directory,
        failure_counters,
        device_void,
      });

      await server.sql("DELETE FROM users WHERE id = 'ann-1'");
      const again = {
        ...counts(await ask('erase', { id: 'ann-1' })),
        ...counts(await ask('erase', { email: ANN })),
      };
      t.strictSame(again, { failure_counters, device_void }, 'by id and by address');
      for (const by of [{ id: 'ann-1' }, { email: ANN }]) t.strictSame(counts(await ask('export', by)), {});
      t.equal((await withBearer(node, 'GET', '/verify', bob)).statusCode, 204, 'others have lost nothing');
      t.strictSame((await server.sql('SELECT id FROM users')).length, 1);
    });
  });

  t.test(`${way}: after a deletion in PostgreSQL, the id erases everything`, async (t) => {
    await eachKind(t, async (t, place) => {
      const { ways } = await usedService(t, place);
      const { directory, ...stored } = counts(await ways[way]('export', { id: 'ann-1' }));
      await server.sql("DELETE FROM users WHERE id = 'ann-1'");
      const erasure = await ways[way]('erase', { id: 'ann-1' });
      t.equal(erasure.person.in_directory, false);
      t.strictSame(counts(erasure), stored);
      t.notOk(erasure.elsewhere.some(({ where }) => where === 'user directory'));
      t.strictSame(counts(await ways[way]('export', { email: ANN })), {});
    });
  });

  t.test(`${way}: without PostgreSQL there is no document, and nothing is erased`, async (t) => {
    await eachKind(t, async (t, place) => {
      const { ways } = await usedService(t, place);
      const before = counts(await ways[way]('export', { email: ANN }));
      await server.stop();
      for (const action of ['export', 'erase'] as const) {
        const { parts, ...error } = await ways[way](action, { email: ANN });
        t.equal(parts, undefined);
        t.match(JSON.stringify(error), /user database does not respond|store_unavailable/);
      }
      await server.start();
      t.strictSame(counts(await ways[way]('export', { email: ANN })), before);
    });
  });
}
