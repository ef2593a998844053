// Speed of drawing and size of the default image, with each image library.
import { defaultPreset } from '@tollgate/challenge-service/presets/preset.js';
import { DRIVER_NAMES } from '@tollgate/challenge-service/renderer/driver.js';
import type { Program } from '../program.js';
import { drawSamples, reportDrawing } from '../resistance/draw-samples.js';
import { median, percentile } from '../statistics.js';

const OPTIONS = {
  count: { type: 'string', default: '5000' },
  seed: { type: 'string', default: '1' },
} as const;

const program: Program<typeof OPTIONS> = {
  title: 'default images per second and core (2,000), p99 of drawing (under 3 ms), PNG (median under 3 kB)',
  options: OPTIONS,
  async run({ values }, report) {
    const [count, seed] = [Number(values.count), Number(values.seed)];
    report.say(`${count} images, seed ${seed}`);
    for (const driver of DRIVER_NAMES) {
      const samples = await drawSamples(defaultPreset, { count, seed, driver });
      reportDrawing(report, samples);
      const sizes = samples.pngs.map((png) => png.length);
      report.verdict(`${driver}: images per second and core`, samples.imagesPerSecond, { atLeast: 2000 });
      report.verdict(`${driver}: p99 of drawing`, percentile(samples.drawMs, 0.99), { atMost: 3 }, 'ms');
      report.verdict(`${driver}: median PNG`, median(sizes), { atMost: 3000 }, 'bytes');
    }
  },
};
export default program;
