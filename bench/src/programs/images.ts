// Speed of drawing and size of the default image, with each image library.
import { parseArgs } from 'node:util';
import { defaultPreset } from '@tollgate/challenge-service/presets/preset.js';
import { DRIVER_NAMES } from '@tollgate/challenge-service/renderer/driver.js';
import type { Program } from '../program.js';
import { drawSamples, reportDrawing } from '../resistance/draw-samples.js';

const program: Program = {
  title: 'default images per second and core (2,000), p99 of drawing (under 3 ms), PNG (median under 3 kB)',
  async run(args) {
    const { values } = parseArgs({
      args: [...args],
      options: { count: { type: 'string', default: '5000' }, seed: { type: 'string', default: '1' } },
    });
    const [count, seed] = [Number(values.count), Number(values.seed)];
    console.log(`${count} images, seed ${seed}`);
    let isKept = true;
    for (const driver of DRIVER_NAMES) {
      isKept = reportDrawing(await drawSamples(defaultPreset, { count, seed, driver })) && isKept;
    }
    return isKept;
  },
};
export default program;
