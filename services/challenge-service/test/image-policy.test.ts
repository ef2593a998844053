// Which pages may embed the image.

import { eachKind } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openImages, openNode } from './challenge-node.js';

const policies: readonly [corsOrigin: string, publicUrl: string, policy: string][] = [
  ['https://app.example.com', 'https://auth.example.com/base', 'same-site'],
  ['https://one.github.io', 'https://two.github.io', 'cross-origin'],
  ['https://a.co.uk', 'https://b.co.uk', 'cross-origin'],
  ['http://localhost:3000', 'http://localhost:8080', 'same-site'],
  ['http://app.example.com', 'https://auth.example.com', 'cross-origin'],
];

t.test('an image allowed for subdomains of the same site is not available to other sites', async (t) => {
  const images = await openImages(t);
  await eachKind(t, async (t, { store }) => {
    for (const [CORS_ORIGIN, PUBLIC_URL, policy] of policies) {
      const node = await openNode(t, store, { images, env: { CORS_ORIGIN, PUBLIC_URL } });
      const path = (await node.issueImage()).replace(/^\/base/, '');
      const image = await node.get(path);
      t.equal(image.statusCode, 200);
      t.equal(image.headers['cross-origin-resource-policy'], policy, `${PUBLIC_URL} for ${CORS_ORIGIN}`);
    }
  });
});
