// The image pool: the same images as direct drawing, a bounded queue, a clean shutdown.
import { createRequire } from 'node:module';
import t from 'tap';
import { drawImage } from '../../src/image/draw.js';
import type { DriverName } from '../../src/renderer/driver.js';
import { ImageQueueFullError, openImagePool } from '../../src/renderer/image-pool.js';
import { sampleJob, startDriver } from '../image/samples.js';

const driver = '@napi-rs/canvas' as const;

t.test('the pool and the plain function draw the same image, under the same identity', async (t) => {
  const pool = await openImagePool({ driver, threads: 2, maxQueue: 30 });
  t.teardown(() => pool!.close());
  const { sprites, identity } = await startDriver(driver);
  t.equal(await pool!.identity(), identity);
  t.match(identity, /^@napi-rs\/canvas@\d+\.\d+\.\d+:[0-9a-f]{8}$/);
  const jobs = Array.from({ length: 30 }, (_, seed) => sampleJob(seed));
  const drawn = await Promise.all(jobs.map((job) => pool!.draw(job)));
  t.same(
    drawn.map((png) => Buffer.from(png).toString('hex')),
    jobs.map((job) => Buffer.from(drawImage(sprites, job)).toString('hex')),
  );
});

t.test('a full queue rejects at once, draws the queued jobs and accepts new ones again', async (t) => {
  const pool = await openImagePool({ driver, threads: 1, maxQueue: 4 });
  t.teardown(() => pool!.close());
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, seed) => pool!.draw(sampleJob(seed))),
  );
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  t.equal(outcomes.length - refused.length, 5);
  t.ok(refused.every(({ reason }) => reason instanceof ImageQueueFullError));
  t.ok((await pool!.draw(sampleJob(1))).length > 0);
});

t.test('the event loop stays free while images are drawn', async (t) => {
  const pool = await openImagePool({ driver, threads: 1, maxQueue: 1000 });
  t.teardown(() => pool!.close());
  let unfinished = 200;
  const drawing = Array.from({ length: unfinished }, (_, seed) =>
    pool!.draw(sampleJob(seed)).finally(() => unfinished--),
  );
  await new Promise(setImmediate);
  t.ok(unfinished > 0);
  await Promise.all(drawing);
});

t.test('a failing job rejects, and its worker continues', async (t) => {
  const pool = await openImagePool({ driver, threads: 1, maxQueue: 1 });
  t.teardown(() => pool!.close());
  await t.rejects(pool!.draw({ ...sampleJob(1), text: '0' }), { name: 'RangeError' });
  t.ok((await pool!.draw(sampleJob(1))).length > 0);
});

t.test('close finishes the queued jobs and rejects later ones', async (t) => {
  const pool = await openImagePool({ driver, threads: 1, maxQueue: 10 });
  const drawing = Array.from({ length: 5 }, (_, seed) => pool!.draw(sampleJob(seed)));
  const closing = pool!.close();
  await t.rejects(pool!.draw(sampleJob(1)), { message: 'the image pool is closed' });
  t.equal((await Promise.all(drawing)).length, 5);
  await closing;
});

t.test('without an image library there is no pool', async (t) => {
  const load = () => {
    throw new Error('not installed');
  };
  t.equal(await openImagePool({ threads: 1, maxQueue: 1, load }), null);
});

t.test('a pool does not open with a named library that is unknown or fails to load', async (t) => {
  const load = () => {
    throw new Error('not installed');
  };
  await t.rejects(openImagePool({ driver, threads: 1, maxQueue: 1, load }), /does not load/);
  await t.rejects(openImagePool({ driver: 'sharp' as DriverName, threads: 1, maxQueue: 1 }), /unknown/);
});

t.test('the pool reports the second library as a fallback only if no library was named', async (t) => {
  const require = createRequire(import.meta.url);
  const load = (specifier: string): unknown => {
    if (specifier === 'canvas') throw new Error('no binary');
    return require(specifier);
  };
  const fallback = await openImagePool({ threads: 1, maxQueue: 1, load });
  const named = await openImagePool({ driver, threads: 1, maxQueue: 1, load });
  t.teardown(() => Promise.all([fallback!.close(), named!.close()]));
  t.equal(fallback!.fallback, true);
  t.equal(named!.fallback, false);
});
