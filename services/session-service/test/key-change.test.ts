// Keys are changed in three rollouts, node by node, under load, without a failed request.

import { randomBytes } from 'node:crypto';
import { eachKind } from '@tollgate/test-support/stores.js';
import t from 'tap';
import {
  type Held,
  heldFrom,
  logIn,
  refresh,
  SECRETS,
  type SessionNode,
  startNode,
  userDirectory,
  withBearer,
} from './support/session-node.js';

type Lists = Readonly<Record<keyof typeof SECRETS, string>>;

const NEXT = Object.fromEntries(
  Object.keys(SECRETS).map((name) => [name, randomBytes(32).toString('base64url')]),
) as Lists;

const listsOf = (make: (old: string, next: string) => string) =>
  Object.fromEntries(
    Object.entries(SECRETS).map(([name, old]) => [name, make(old, NEXT[name as keyof Lists])]),
  ) as Lists;

const ROLL_OUTS = [
  listsOf((old, next) => `${old},${next}`),
  listsOf((old, next) => `${next},${old}`),
  listsOf((_old, next) => next),
] as const;

t.test('changing every key under load, over two nodes, fails no request', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, 'ann@example.com');
    const start = (env: Lists) => startNode(t, { store, directory, env });
    const nodes: [SessionNode, SessionNode] = [await start(SECRETS), await start(SECRETS)];
    const clients: Held[] = [];
    for (let count = 0; count < 5; count++) clients.push(await logIn(nodes[0], 'ann@example.com'));

    let requests = 0;
    let turn = 0;
    const failures: string[] = [];
    const either = () => nodes[turn++ % 2] as SessionNode;
    const expectOk = (what: string, status: number) => {
      requests += 1;
      if (status !== 200) failures.push(`${what} ${status}`);
    };
    const round = async (at: number) => {
      expectOk('profile', (await withBearer(either(), 'GET', '/profile', clients[at] as Held)).statusCode);
      const answer = await refresh(either(), clients[at] as Held);
      expectOk('refresh', answer.statusCode);
      if (answer.statusCode === 200) clients[at] = heldFrom(answer);
    };
    /** Generates load from every client during an action, and at least one round after it. */
    const underLoad = async (happens: () => Promise<void>) => {
      let isOver = false;
      const load = clients.map(async (_held, at) => {
        while (!isOver) await round(at);
        await round(at);
        await round(at);
      });
      await happens();
      isOver = true;
      await Promise.all(load);
    };

    for (const lists of ROLL_OUTS) {
      for (const at of [0, 1] as const) {
        // Started in advance, so that its start takes no time from the serving nodes.
        const replaced = await start(lists);
        await underLoad(async () => {
          const old = nodes[at];
          nodes[at] = replaced;
          await old.close();
        });
      }
      // Each client has refreshed on both nodes: the longest lifetime of older tokens has passed.
      const newcomer = await logIn(either(), 'ann@example.com');
      expectOk('profile', (await withBearer(either(), 'GET', '/profile', newcomer)).statusCode);
    }
    t.strictSame(failures, []);
    t.ok(requests > 150, `${requests} requests`);

    const old = await start(SECRETS);
    t.equal((await withBearer(old, 'GET', '/profile', clients[0] as Held)).statusCode, 401);
    t.equal((await refresh(old, clients[0] as Held)).statusCode, 401, 'nothing is made with the old keys');
  });
});

t.test('skipping a step rejects tokens, which the order of steps prevents', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, 'ann@example.com');
    const old = await startNode(t, { store, directory });
    const next = await startNode(t, { store, directory, env: ROLL_OUTS[2] });
    const front = await startNode(t, { store, directory, env: ROLL_OUTS[1] });
    const held = await logIn(old, 'ann@example.com');
    t.equal((await withBearer(next, 'GET', '/profile', held)).statusCode, 401);
    const fronted = await logIn(front, 'ann@example.com');
    t.equal((await withBearer(old, 'GET', '/profile', fronted)).statusCode, 401);
    t.equal((await withBearer(next, 'GET', '/profile', fronted)).statusCode, 200);
  });
});
