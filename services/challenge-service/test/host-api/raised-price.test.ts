// The price while load or an operator has raised its minimum.

import { findNonce } from '@tollgate/test-support/find-nonce.js';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { type HostApi, openHostApi } from './host-api-server.js';

const KEY = 'someone@example.com';
const IP = '203.0.113.7';

async function ask({ app }: HostApi, path: string) {
  return (await app.inject({ url: `/api/captcha${path}`, remoteAddress: IP })).json();
}

const solved = ({ token, salt, difficulty }: { token: string; salt: string; difficulty: number }) => ({
  pow_token: token,
  pow_nonce: findNonce(salt, difficulty),
});

t.test(
  'work costs the added bits, up to the maximum, and previously issued work remains valid',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      let raised = 0;
      const api = await openHostApi(t, store, { CAPTCHA_POW_MAX_DIFFICULTY: '9' }, [], () => raised);
      const [before, kept] = [await ask(api, '/pow'), await ask(api, '/pow')];
      t.equal(before.difficulty, 1);
      raised = 4;
      const dearer = await ask(api, '/pow');
      t.equal(dearer.difficulty, 5);
      t.equal((await ask(api, '/pow?min_difficulty=3')).difficulty, 5, 'a floor, not a surcharge');
      t.equal((await ask(api, '/pow?min_difficulty=7')).difficulty, 7);
      t.match((await api.verify({ ...solved(before), key: KEY, ip: IP })).json, { success: true });
      t.match((await api.verify({ ...solved(dearer), key: KEY, ip: IP })).json, { success: true });
      raised = 100;
      t.equal((await ask(api, '/pow')).difficulty, 9);
      t.match((await api.verify({ ...solved(kept), key: KEY, ip: IP })).json, { success: true });
    });
  },
);

t.test('account failures are added to it, and a client without a ticket can pass', async (t) => {
  const { store } = embeddedStore(t);
  let raised = 0;
  const variables = { CAPTCHA_ESCALATION_AFTER: '100' };
  const api = await openHostApi(t, store, variables, [], () => raised);
  const early = await ask(api, '/pow');
  const wrong = await api.verify({ ...solved(await ask(api, '/pow')), key: KEY, ip: IP, count: true });
  const scope = wrong.json.pow_scope;
  const ticketed = await ask(api, `/pow?scope=${scope}`);
  t.equal(ticketed.difficulty, 3);
  raised = 2;
  t.equal((await ask(api, `/pow?scope=${scope}`)).difficulty, 5);
  t.match((await api.verify({ ...solved(ticketed), key: KEY, ip: IP })).json, { success: true });
  const { json } = await api.verify({ ...solved(early), key: KEY, ip: IP });
  t.match(json, { code: 'pow_insufficient' }, 'what the account demands is still demanded');
  t.match((await api.verify({ ...solved(await ask(api, '/pow')), key: KEY, ip: IP })).json, {
    success: true,
  });
});

t.test('the price of effort rises too', async (t) => {
  const { store } = embeddedStore(t);
  let raised = 0;
  const api = await openHostApi(t, store, { CAPTCHA_POW_DIFFICULTY: '20' }, [], () => raised);
  const { part_difficulty: usual } = await ask(api, '?preset=effort');
  raised = 3;
  t.equal((await ask(api, '?preset=effort')).part_difficulty, usual + 3);
});
