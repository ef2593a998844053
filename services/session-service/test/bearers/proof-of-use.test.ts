// A generation is proven used when one of its access tokens is first verified.

import { createProofOfUse } from '@tollgate/shared/sessions';
import { eachKind, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openSessionStore } from '../../src/stores/open-session-store.js';
import {
  heldFrom,
  logIn,
  refresh,
  startNode,
  until,
  userDirectory,
  withBearer,
} from '../support/session-node.js';

t.test('an old token recovers a lost response, but not a used one', async (t) => {
  await eachKind(t, async (t, { store, age }) => {
    const directory = await userDirectory(t, 'ann@example.com');
    const node = await startNode(t, { store, directory });
    for (const isUsed of [true, false]) {
      const first = await logIn(node, 'ann@example.com');
      const second = heldFrom(await refresh(node, first));
      if (isUsed) await withBearer(node, 'GET', '/profile', second);
      await age(60_000);
      t.equal((await refresh(node, first)).statusCode, isUsed ? 401 : 200);
    }
  });
});

t.test('there is one write per generation and node, and none for a rejected token', async (t) => {
  const { store, redis } = await redisStore(t);
  const directory = await userDirectory(t, 'ann@example.com');
  const node = await startNode(t, { store, directory });
  const first = await logIn(node, 'ann@example.com');
  const proofs = async (during: () => Promise<unknown>) => {
    const sent = await redis.commands(async () => {
      await during();
      // The request does not wait for the write, but the connection keeps the order.
      await openSessionStore(store).list(99);
    });
    return sent.filter((command) => /^eval.* 1 session:\{1\} \S{22} \d+$/.test(command)).length;
  };
  const use = (held: typeof first, times: number) => async () => {
    for (let time = 0; time < times; time++) await withBearer(node, 'GET', '/profile', held);
  };
  t.equal(await proofs(use(first, 10)), 1);
  t.equal(await proofs(use(first, 10)), 0);
  const second = heldFrom(await refresh(node, first));
  t.equal(await proofs(use(second, 10)), 1);
  t.equal(await proofs(use(first, 3)), 0, 'an older generation is proven with a newer one');
  await withBearer(node, 'POST', '/logout', second);
  t.equal(await proofs(use(second, 3)), 0);
  t.equal(await proofs(use({ accessToken: 'x', cookie: '' }, 3)), 0);
});

t.test('a failed write is ignored', async (t) => {
  const { store, redis } = await redisStore(t);
  const directory = await userDirectory(t, 'ann@example.com');
  const node = await startNode(t, { store, directory });
  const held = await logIn(node, 'ann@example.com');
  await redis.stop();
  await until(() => node.revocations.lagSeconds() > 0);
  t.equal((await withBearer(node, 'GET', '/profile', held)).statusCode, 200);
});

t.test('memory is bounded: the least recently seen session is written again', async (t) => {
  const written: string[] = [];
  const prove = createProofOfUse(
    {
      async proveUsed({ sid, generation }) {
        written.push(`${sid}${generation}`);
      },
    },
    2,
  );
  for (const sid of ['a', 'b', 'a', 'c', 'b', 'a']) prove({ id: 1, sid, gen: 1 });
  t.strictSame(written, ['a1', 'b1', 'c1', 'a1']);
});
