// The image route of a node that cannot draw, while all other routes work.

import { openKeyRing } from '@tollgate/shared/crypto';
import { createLogger } from '@tollgate/shared/http';
import { openChallengeStore, openRequestCounter } from '@tollgate/shared/store';
import { silentTrail } from '@tollgate/test-support/audit.js';
import { eachKind } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { buildApp } from '../src/app.js';
import { readChallengeConfig } from '../src/config.js';
import { createChallengeMetrics } from '../src/plugins/challenge-metrics.js';
import { type ImagePool, openImagePool } from '../src/renderer/image-pool.js';

const environment = {
  CHALLENGE_SECRET: 'challenge-secret-of-the-tests-0001',
  PUBLIC_URL: 'http://localhost:8080',
};

t.test('without an image library only the image fails, with its own error code', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const node = await openNode(t, store, null);
    const drawn = await node.get(await node.issueImage());
    t.equal(drawn.statusCode, 500);
    t.equal(drawn.json().code, 'no_image_library');
    t.equal((await node.get('/api/captcha/pow')).statusCode, 200);
  });
});

t.test('a node rejects images of another library or version and reports them', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const images = await openImagePool({ threads: 1, maxQueue: 4 });
    if (images === null) throw new Error('the tests need an image library');
    t.teardown(() => images.close());
    const here = await openNode(t, store, images);
    const elsewhere = await openNode(t, store, { ...images, identity: async () => 'another@1.0.0:00000000' });

    const path = await here.issueImage();
    const refused = await elsewhere.get(path);
    t.equal(refused.statusCode, 503);
    t.equal(refused.json().code, 'image_unavailable');
    t.equal(refused.headers['retry-after'], '1');
    t.strictSame(elsewhere.others, [await images.identity()]);

    const drawn = await here.get(path);
    t.equal(drawn.statusCode, 200, 'the challenge is still there');
    t.equal(drawn.headers['content-type'], 'image/png');
    t.strictSame(here.others, []);
  });
});

async function openNode(t: Test, store: Parameters<typeof openChallengeStore>[0], images: ImagePool | null) {
  const others: string[] = [];
  const app = await buildApp(readChallengeConfig(environment), {
    challenges: openChallengeStore(store, 'captcha'),
    countRequest: openRequestCounter(store, 'captcha'),
    ring: openKeyRing(environment.CHALLENGE_SECRET),
    images,
    onOtherDriver: (driver) => others.push(driver),
    redis: {},
    metrics: createChallengeMetrics({ process: false }),
    trail: silentTrail(),
    logger: createLogger({ name: 'test', level: 'silent' }),
  });
  t.teardown(() => app.close());
  const get = (url: string) => app.inject(url);
  const issueImage = async () => new URL((await get('/api/captcha')).json().url).pathname;
  return { others, get, issueImage };
}
