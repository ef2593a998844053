// Form requirements over the host API: enforced, and carried by the ticket of a rejection.

import { findHashwxNumbers } from '@tollgate/test-support/find-hashwx-numbers.js';
import { findNonce } from '@tollgate/test-support/find-nonce.js';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { type HostApi, IP, openHostApi } from './host-api-server.js';

const BOTH = { CAPTCHA_POW_ALGORITHMS: 'hashwx-1,sha256', CAPTCHA_POW_DIFFICULTY: '4' };

async function ask({ app }: HostApi, path: string) {
  return (await app.inject({ url: `/api/captcha${path}`, remoteAddress: IP })).json();
}

// biome-ignore lint/suspicious/noExplicitAny: the body of an answer
function solved(challenge: any) {
  const { token, algorithm, salt, difficulty } = challenge;
  const nonce = algorithm === 'sha256' ? findNonce(salt, difficulty) : findHashwxNumbers(challenge);
  return { pow_token: token, pow_nonce: nonce };
}

t.test(
  "after one rejection the work for its ticket passes, regardless of the form's requirements",
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const api = await openHostApi(t, store, BOTH);
      const form = { at_least: 11, algorithms: ['hashwx-1'], ip: IP };
      for (const demands of [form, { ...form, key: 'someone' }]) {
        const { json: refused } = await api.verify({ ...solved(await ask(api, '/pow')), ...demands });
        t.match(refused, {
          code: 'pow_insufficient',
          pow_min_difficulty: 11,
          pow_algorithms: ['hashwx-1'],
          pow_scope: /^[\w-]{82}$/,
        });
        const asked = `/pow?algorithms=sha256,hashwx-1&scope=${refused.pow_scope}`;
        const next = await ask(api, asked);
        t.match(next, { difficulty: 11, algorithm: 'hashwx-1' }, 'the demand goes before the preference');
        t.match((await api.verify({ ...solved(next), ...demands })).json, { success: true });
        t.match(await ask(api, `/pow?scope=${refused.pow_scope}`), { difficulty: 11, algorithm: 'sha256' });
        t.match(await ask(api, '/pow'), { difficulty: 11 }, 'without a ticket the work costs the same');
        await api.call('DELETE', '/host/failures', { key: 'someone', ip: IP });
      }
    });
  },
);

t.test("requests from an address raise the price, but not the form's requirements", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const volume = { CAPTCHA_POW_VOLUME_EVERY: '2', CAPTCHA_POW_VOLUME_STEP: '1' };
    const api = await openHostApi(t, store, { ...BOTH, ...volume });
    const { pow_scope: ticket } = (await api.verify({ at_least: 6 })).json;
    const paths = [`/pow?scope=${ticket}`, '/pow?min_difficulty=6', '/pow?min_difficulty=6', '/pow'];
    const bits = [];
    for (const path of [...paths, ...paths]) bits.push((await ask(api, path)).difficulty);
    t.strictSame(bits, [6, 6, 6, 6, 6, 7, 7, 8]);
  });
});

t.test('the image for a ticket has the preset that the form requires', async (t) => {
  const { store } = await embeddedStore(t);
  const module = { CAPTCHA_ESCALATION_AFTER: '0' };
  const api = await openHostApi(t, store, module, [], () => 0, { large: { phrase: { length: 5 } } });
  const form = { key: 'someone', presets: ['effort', 'large'], ip: IP };
  const { json: refused } = await api.verify({ ...(await api.work()), ...form });
  t.match(refused, { code: 'captcha_required', captcha_presets: ['large'] });
  const [plain, named] = await Promise.all([
    ask(api, `?scope=${refused.pow_scope}`),
    ask(api, `?preset=default&scope=${refused.pow_scope}`),
  ]);
  t.strictSame([plain.answer.length, named.answer.length], [5, 5]);
  t.equal((await ask(api, '')).answer.length, 6, 'without the ticket it is the default');
  const image = { captcha_token: plain.token, captcha: plain.answer };
  const work = await api.work(`?scope=${refused.pow_scope}`);
  t.match((await api.verify({ ...work, ...image, ...form })).json, { success: true });
});

t.test("an impossible requirement is the application's error", async (t) => {
  const { store } = await embeddedStore(t);
  const api = await openHostApi(t, store);
  const work = await api.work();
  for (const demand of [
    { at_least: 25 },
    { at_least: 0 },
    { algorithms: [] },
    { algorithms: ['md5'] },
    { algorithms: ['hashwx-1'] },
    { algorithms: 'sha256' },
  ]) {
    const { status, json } = await api.verify({ ...work, ...demand });
    t.match({ status, json }, { status: 422, json: { code: 'validation_failed' } }, JSON.stringify(demand));
  }
  t.match((await api.verify({ ...work, at_least: 1, algorithms: ['sha256'] })).json, { success: true });
  const higher = await api.verify({ ...(await api.work()), at_least: 2, min_difficulty: 3 });
  t.equal(higher.json.pow_min_difficulty, 3, 'of the two names the higher number counts');
});
