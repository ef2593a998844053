// The inspection after a drill: finds things that a system has forgotten or accepts again, and nothing in a correct one.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { inspect } from '../../src/drills/ledger/inspection.js';
import { openLedger } from '../../src/drills/ledger/ledger.js';
import { openHttpClient } from '../../src/drills/load/http-client.js';
import { createAsk, type World } from '../../src/drills/load/world.js';
import { failuresAt } from '../../src/drills/site.js';
import { openRandom } from '../../src/random.js';

type Reply = readonly [status: number, body?: object, cookie?: string];
type Rule = (request: IncomingMessage) => Reply;

/** Keeps everything that it has acknowledged. */
const FAITHFUL: Readonly<Record<string, Rule>> = {
  'POST /refresh': ({ headers }) =>
    headers.cookie === 'live=1'
      ? [200, { accessToken: 'new' }, 'live=1']
      : [401, { code: 'session_revoked' }],
  'GET /verify': () => [401, { code: 'session_revoked' }],
  'POST /login': () => [422, { code: 'pow_invalid' }],
  'POST /host/verify': () => [200, { success: false, code: 'pow_invalid' }],
  // Two failures, and an attempt that is counted as the third.
  'GET /api/captcha/pow': () => [200, { token: 'x', salt: 'x', difficulty: 5 }],
  'POST /host/failures': () => [200, { failures: 3 }],
};

/** Has forgotten everything that it wrote, spent and ended. */
const FORGETFUL: Readonly<Record<string, Rule>> = {
  'POST /refresh': ({ headers }) =>
    headers.cookie === 'live=1' ? [401, { code: 'session_revoked' }] : [200, { accessToken: 'new' }, 'x=1'],
  'GET /verify': () => [204],
  'POST /login': () => [422, { code: 'login_failed' }],
  'POST /host/verify': () => [200, { success: true }],
  'GET /api/captcha/pow': () => [200, { token: 'x', salt: 'x', difficulty: 1 }],
  'POST /host/failures': () => [200, { failures: 1 }],
};

t.test('a system that keeps its acknowledgements has made no mistake', async (t) => {
  const { mistakes, inspection } = await inspectSystem(t, FAITHFUL);
  t.same(Object.values(mistakes), [0, 0, 0, 0, 0, 0, 0]);
  t.same(inspection, {
    looked: {
      'attempts counted': 2,
      'live sessions': 2,
      'ended sessions': 1,
      'ended tokens': 1,
      'spent submissions': 2,
    },
    unanswered: 0,
  });
});

t.test('every mistake of a system that has forgotten is found', async (t) => {
  const { mistakes } = await inspectSystem(t, FORGETFUL);
  t.same(mistakes, {
    'issued work lost': 0,
    'login lost': 1,
    'attempt lost': 2,
    'attempt counted twice': 0,
    'spent work accepted again': 2,
    'ended session accepted again': 2,
    'logged out by accident': 1,
  });
});

t.test('attempts that are counted twice are found, unless an unknown one may be among them', async (t) => {
  const generous: Readonly<Record<string, Rule>> = {
    ...FAITHFUL,
    'GET /api/captcha/pow': () => [200, { token: 'x', salt: 'x', difficulty: 7 }],
    'POST /host/failures': () => [200, { failures: 4 }],
  };
  t.equal((await inspectSystem(t, generous)).mistakes['attempt counted twice'], 2);
  t.equal((await inspectSystem(t, generous, 1)).mistakes['attempt counted twice'], 0);
});

t.test('a request without a response is repeated', async (t) => {
  let refusals = 3;
  const late: Readonly<Record<string, Rule>> = {
    ...FAITHFUL,
    'GET /verify': () => (refusals-- > 0 ? [503, { code: 'store_unavailable' }] : [401]),
  };
  const { inspection, mistakes } = await inspectSystem(t, late);
  t.equal(inspection.unanswered, 0);
  t.same(Object.values(mistakes), [0, 0, 0, 0, 0, 0, 0]);
});

/** Inspects a system that has acknowledged one thing of each kind. @param unknown attempts of unknown outcome */
async function inspectSystem(t: Test, rules: Readonly<Record<string, Rule>>, unknown = 0) {
  const url = await listen(t, rules);
  const client = openHttpClient(1_000);
  t.teardown(() => client.close());
  const ledger = openLedger();
  const session = { cookie: 'live=1', accessToken: 'x' };
  ledger.live.add({ ...session, id: 1, hasRefreshed: false });
  ledger.live.add({ ...session, id: 2, hasRefreshed: true });
  ledger.ended.add({ id: 3, cookie: 'ended=1', accessToken: 'x', hasRefreshed: true, endedMs: 0 });
  for (const to of ['login', 'application'] as const) {
    ledger.spent.add({ to, fields: { pow_token: 'x', pow_nonce: '0' } });
    ledger.accounts.add({ at: to, key: `at the ${to}`, counted: 2, unknown, ticket: 'x' });
  }
  const world: World = {
    publicUrl: url,
    hostApiUrls: [url],
    hostApiKey: 'x',
    people: [],
    password: 'x',
    ledger,
    random: openRandom(1),
    stock: [],
    signingIn: new Set(),
    interrupted: new Set(),
    ask: createAsk(client, url, () => {}),
    isCalm: () => true,
  };
  const inspection = await inspect(world, { sessionUrls: [url], counts: true, failuresAt });
  const mistakes = Object.fromEntries(
    Object.entries(ledger.mistakes).map(([mistake, found]) => [mistake, found.length]),
  );
  return { inspection, mistakes };
}

async function listen(t: Test, rules: Readonly<Record<string, Rule>>): Promise<string> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    const path = new URL(request.url ?? '', 'http://x').pathname;
    const [status, body, cookie] = rules[`${request.method} ${path}`]?.(request) ?? [404];
    if (cookie !== undefined) response.setHeader('set-cookie', `${cookie}; Path=/refresh`);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
