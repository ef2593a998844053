// Directory claims: in both token formats, at every refresh, in the introspection.

import { createSigningKey } from '@tollgate/shared/crypto';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import {
  type Directory,
  DirectoryUnavailableError,
  readDirectoryUser,
} from '../../src/directory/directory.js';
import { heldFrom, logIn, refresh, startNode, userDirectory, withBearer } from '../support/session-node.js';
import { codeFor, exchange, introspected } from '../support/sign-in-codes.js';

const ANN = 'ann@example.com';
const FORMATS = {
  sealed: {},
  public: {
    ACCESS_TOKEN_FORMAT: 'public',
    ACCESS_SIGNING_KEYS: createSigningKey('ES256'),
    ACCESS_SECRET: '',
  },
};
const CLAIMS = { roles: ['editor'], tenant: { id: 7, name: 'Café' }, beta: true };

for (const [format, env] of Object.entries(FORMATS)) {
  t.test(`directory claims are in every token: ${format}`, async (t) => {
    await eachKind(t, async (t, { store, clock }) => {
      const directory = await userDirectory(t, ANN);
      await directory.setClaims(ANN, CLAIMS);
      let isAway = false;
      const node = await startNode(t, {
        store,
        env,
        clock,
        directory: {
          ...directory,
          findById: async (id) => {
            if (isAway) throw new DirectoryUnavailableError('away');
            return directory.findById(id);
          },
        },
      });
      const claimsOf = async (held: { accessToken: string }) => (await introspected(node, held)).claims;
      let held = await logIn(node, ANN);
      t.strictSame(await claimsOf(held), CLAIMS, 'after a login');
      t.strictSame(await claimsOf(heldFrom(await exchange(node, { code: await codeFor(node, 1) }))), CLAIMS);
      t.strictSame(
        (await withBearer(node, 'GET', '/profile', held)).json(),
        { id: 1, email: ANN },
        'the profile stays as it is',
      );

      await directory.setClaims(ANN, { roles: [] });
      held = heldFrom(await refresh(node, held));
      t.strictSame(await claimsOf(held), { roles: [] }, 'a refresh has the present ones');
      isAway = true;
      held = heldFrom(await refresh(node, held));
      t.strictSame(await claimsOf(held), { roles: [] }, 'without the directory they stay');
      isAway = false;
      await directory.setClaims(ANN, undefined);
      held = heldFrom(await refresh(node, held));
      t.notOk('claims' in (await introspected(node, held)), 'none');

      const largest = { text: '"'.repeat(506) };
      t.equal(JSON.stringify(largest).length, 1023);
      await directory.setClaims(ANN, largest);
      held = heldFrom(await refresh(node, held));
      t.strictSame(await claimsOf(held), largest, 'the largest fit');
      t.ok(held.cookie.length < 3500 && held.accessToken.length < 3500, 'into a cookie and a header');
    });
  });
}

t.test('a disabled user with oversized claims could still refresh', async (t) => {
  const { store } = embeddedStore(t);
  const directory = await userDirectory(t, ANN);
  let row: object = {};
  const findById: Directory['findById'] = async (id) => {
    const user = await directory.findById(id);
    return user && readDirectoryUser({ ...user, ...row }, 'the directory');
  };
  const node = await startNode(t, { store, directory: { ...directory, findById } });
  const held = heldFrom(await refresh(node, await logIn(node, ANN)));
  row = { claims: { text: 'x'.repeat(2000) } };
  const again = heldFrom(await refresh(node, held));
  row = { ...row, disabled: true };
  const refused = await refresh(node, again);
  t.match([refused.statusCode, refused.json().code], [401, 'session_revoked']);
});
