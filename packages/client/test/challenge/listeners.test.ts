// Page listeners that throw do not stop the form.
import { createChallenge } from '@tollgate/client/challenge';
import t from 'tap';
import { startRealService } from './real-service.js';

const service = await startRealService(t);

t.test('a listener that throws stops neither the form nor the other listeners', async (t) => {
  const thrown: unknown[] = [];
  const [failing] = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => thrown.push(error));
  const challenge = createChallenge({ baseUrl: service.address, autoStart: false });
  t.teardown(challenge.close);
  challenge.subscribe(() => {
    throw new Error('a mistake of the page');
  });
  const seen: string[] = [];
  challenge.subscribe(() => seen.push(challenge.status));

  await challenge.refresh();
  t.equal(challenge.status, 'ready');
  t.equal(challenge.state.error, null);
  t.same(Object.keys(await challenge.take()), ['pow_token', 'pow_nonce']);
  const response = await challenge.submit(async () => Response.json({}));
  t.equal(response.status, 200);
  challenge.close();
  // The error of the last listener is reported first.
  await new Promise((resolve) => setImmediate(resolve));
  process.removeAllListeners('uncaughtException');
  if (failing) process.on('uncaughtException', failing);
  t.ok(seen.includes('solving') && seen.includes('ready'), 'the other one was notified');
  t.match(thrown[0], { message: 'a mistake of the page' }, 'and the error is reported');
});
