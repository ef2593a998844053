// A flood of images does not block other requests: drawing beyond the queue is rejected.

import { redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openImagePool } from '../src/renderer/image-pool.js';
import { openNode } from './challenge-node.js';

t.test('image drawing: requests beyond the queue get 503 at once, and issuing continues', async (t) => {
  const { store } = await redisStore(t);
  const images = await openImagePool({ threads: 1, maxQueue: 2 });
  if (images === null) throw new Error('the tests need an image library');
  t.teardown(() => images.close());
  const node = await openNode(t, store, { images });
  const path = await node.issueImage();

  const drawn = Array.from({ length: 30 }, () => node.get(path));
  const issued = await Promise.all(
    Array.from({ length: 30 }, (_, n) => node.get(n % 2 === 0 ? '/api/captcha' : '/api/captcha/pow')),
  );
  t.strictSame(new Set(issued.map(({ statusCode }) => statusCode)), new Set([200]));
  const answers = await Promise.all(drawn);
  const refused = answers.filter(({ statusCode }) => statusCode !== 200);
  t.ok(refused.length > 0 && refused.length < 30, `${refused.length} of 30 are refused`);
  for (const answer of refused) {
    t.equal(answer.statusCode, 503);
    t.equal(answer.json().code, 'overloaded');
    t.equal(answer.headers['retry-after'], '1');
    t.equal(answer.headers['cache-control'], 'no-store');
  }
  t.equal((await node.get(path)).statusCode, 200, 'a refused drawing costs the challenge nothing');
});
