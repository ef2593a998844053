// Image queue metrics while it is busy, full and idle again.
import t from 'tap';
import { createChallengeMetrics } from '../../src/plugins/challenge-metrics.js';
import { openImagePool } from '../../src/renderer/image-pool.js';
import { sampleJob } from '../image/samples.js';

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
