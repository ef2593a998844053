// The image pool and the operator's renderer: images, failures, bounded queues and metrics.

import { createRequire } from 'node:module';
import t from 'tap';
import { drawImage } from '../../src/image/draw.js';
import { createChallengeMetrics } from '../../src/plugins/challenge-metrics.js';
import { openRendererPool, rendererMistake } from '../../src/renderer/custom-renderer.js';
import type { DriverName } from '../../src/renderer/driver.js';
import { ImageQueueFullError, openImagePool } from '../../src/renderer/image-pool.js';
import { sampleJob, startDriver } from '../image/samples.js';

const driver = '@napi-rs/canvas' as const;

// The image pool: the same images as direct drawing, a bounded queue, a clean shutdown.

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

// Queue metrics while it is busy, full and idle again.

t.test('a full image queue was invisible in the metrics', async (t) => {
  const pool = await openImagePool({ driver: '@napi-rs/canvas', threads: 1, maxQueue: 4 });
  t.teardown(() => pool!.close());
  const metrics = createChallengeMetrics({ process: false });
  const images = metrics.measured(pool!, 1, { measure: (job) => job() });
  const figures = async () =>
    Object.fromEntries(
      [...(await metrics.registry.text()).matchAll(/^tollgate_(image\S*) (\S+)$/gm)].map(
        ([, name = '', value]) => [name, Number(value)],
      ),
    );

  const drawing = Array.from({ length: 20 }, (_, seed) => images.draw(sampleJob(seed)));
  const busy = await figures();
  t.equal(busy['image_jobs{state="running"}'], 1);
  t.ok(busy['image_jobs{state="waiting"}']! >= 4);
  await Promise.allSettled(drawing);
  t.match(await figures(), {
    'image_jobs{state="running"}': 0,
    'image_jobs{state="waiting"}': 0,
    images_refused_total: 15,
    image_draw_duration_seconds_count: 5,
  });
});

// The operator's renderer.

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]);
const size = { running: 1, maxQueue: 2 };

t.test('a renderer gets text, seed and preset, and returns the image bytes', async (t) => {
  const job = sampleJob(1);
  const seen: unknown[] = [];
  const render = (...given: unknown[]) => {
    seen.push(given);
    return PNG;
  };
  const pool = openRendererPool({ name: 'mine@1', render }, size);
  t.equal(await pool.identity(), 'mine@1');
  t.equal(await pool.draw(job), PNG);
  t.strictSame(seen, [[job.text, job.effectsSeed, job.preset]]);
  await pool.close();
  await t.rejects(pool.draw(job), { message: 'the image pool is closed' });
});

t.test('a renderer error is reported without its message, which may quote the answer', async (t) => {
  const job = sampleJob(1);
  const outcomes: [() => unknown, string][] = [
    [
      () => {
        throw new RangeError(`cannot draw ${job.text}`);
      },
      'the renderer mine threw RangeError',
    ],
    [() => Promise.reject(job.text), 'the renderer mine threw a non-error value'],
    [() => new Uint8Array(100), 'the renderer mine returned no PNG'],
    [() => undefined, 'the renderer mine returned no PNG'],
  ];
  for (const [render, message] of outcomes) {
    const pool = openRendererPool({ name: 'mine', render: render as () => Uint8Array }, size);
    await t.rejects(pool.draw(job), { message });
    await t.rejects(pool.draw(job), { message }, 'its slot is free again');
  }
});

t.test('a full queue rejects at once, and waiting jobs are drawn one after the other', async (t) => {
  const finish: (() => void)[] = [];
  let most = 0;
  let active = 0;
  const render = async () => {
    most = Math.max(most, ++active);
    await new Promise<void>((resolve) => finish.push(resolve));
    active--;
    return PNG;
  };
  const pool = openRendererPool({ name: 'mine', render }, size);
  const drawing = Array.from({ length: 3 }, (_, seed) => pool.draw(sampleJob(seed)));
  await t.rejects(pool.draw(sampleJob(4)), ImageQueueFullError);
  let drawn = 0;
  for (const each of drawing) each.then(() => drawn++);
  while (drawn < 3) {
    finish.shift()?.();
    await new Promise(setImmediate);
  }
  t.equal(most, 1);
});

t.test('calls that time out keep their slots, which limits the number of hanging calls', async (t) => {
  const finish: (() => void)[] = [];
  const render = () => new Promise<Uint8Array>((resolve) => finish.push(() => resolve(PNG)));
  const pool = openRendererPool({ name: 'mine', render }, { running: 2, maxQueue: 2, timeoutMs: 20 });
  const outcomes = Array.from({ length: 4 }, (_, seed) => pool.draw(sampleJob(seed)));
  const late = { message: 'the renderer mine timed out after 20 ms' };
  await Promise.all([
    ...outcomes.slice(0, 2).map((drawing) => t.rejects(drawing, late)),
    ...outcomes
      .slice(2)
      .map((drawing) => t.rejects(drawing, ImageQueueFullError, 'waiting jobs are refused')),
  ]);
  await t.rejects(pool.draw(sampleJob(5)), ImageQueueFullError, 'no slot is free');
  t.equal(finish.length, 2);
  finish[0]?.();
  await new Promise(setImmediate);
  const next = pool.draw(sampleJob(6));
  await new Promise(setImmediate);
  finish[2]?.();
  t.equal(await next, PNG, 'a slot is free when its call ends');
});

t.test('an invalid renderer is reported', async (t) => {
  const name = 'must have a name of 1 to 80 letters, digits, _, ., @, :, / or -';
  t.equal(rendererMistake(5), 'must be an object');
  t.equal(rendererMistake({ render() {} }), name);
  t.equal(rendererMistake({ name: 'a b', render() {} }), name);
  t.equal(rendererMistake({ name: 'none', render() {} }), 'must not be named none');
  t.equal(rendererMistake({ name: 'no-image', render() {} }), 'must not be named no-image');
  t.equal(rendererMistake({ name: 'mine' }), 'must have a function render');
  t.equal(rendererMistake({ name: 'mine', render() {} }), null);
});
