// The operator's renderer: images, failures and bounded queue.
import t from 'tap';
import { openRendererPool, rendererMistake } from '../../src/renderer/custom-renderer.js';
import { ImageQueueFullError } from '../../src/renderer/image-pool.js';
import { sampleJob } from '../image/samples.js';

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
