// The image averaged over redraws: two processes of the challenge service draw one challenge's image.

import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Answer, Client } from './client.js';
import { CHEAP, onRedis, type Site } from './site.js';

t.setTimeout(300_000);

t.test('the image averaged over redraws', (t) => onRedis(t, CHEAP, tests));

async function tests(t: Test, site: Site): Promise<void> {
  const nodes = [site.challenge, await site.addChallengeService()] as const;

  await t.test('100 fetches through two processes are one hash, whichever issued it', async (t) => {
    for (const issuer of nodes) {
      const path = `/api/captcha/${(await issuer.get('/api/captcha')).json.token}.png`;
      const hashes = await Promise.all(Array.from({ length: 100 }, (_, n) => fetchHash(nodes[n % 2]!, path)));
      t.equal(new Set(hashes).size, 1);
      t.match(hashes[0], /^200 image\/png [0-9a-f]{64}$/);
    }
  });
}

/** The result of a redraw; repeated while the drawing queue is full. */
async function fetchHash(node: Client, path: string): Promise<string> {
  let answer: Answer;
  do answer = await node.get(path);
  while (answer.status === 503);
  const { status, headers, bytes } = answer;
  return `${status} ${headers['content-type']} ${createHash('sha256').update(bytes).digest('hex')}`;
}
