// The shortest and most productive drills, in full: recovery times are for the command, on an idle machine.

import t from 'tap';
import { drills } from '../../src/drills/catalogue.js';
import type { Drill } from '../../src/drills/drill.js';
import { runDrill } from '../../src/drills/run-drill.js';

/** The drills, with less load after the fault than in the command. */
const SHORT: Readonly<Record<string, Partial<Drill>>> = {
  'redis-silent': { observeMs: 4_000 },
  'sentinel-frozen': { holdMs: 5_000, observeMs: 6_000 },
  'embedded-killed': { observeMs: 1_500 },
};

for (const [name, changes] of Object.entries(SHORT)) {
  const drill = drills.find((one) => one.name === name);
  if (drill === undefined) throw new RangeError(`unknown drill ${name}`);
  t.test(drill.title, async (t) => {
    const steps: string[] = [];
    const onStep = (step: string) => steps.push(step);
    const options = { environment: process.env, timed: false, calmMs: 1_500, onStep };
    const result = await runDrill({ ...drill, ...changes }, options);
    t.comment(JSON.stringify(result), ...steps);
    t.same(result.broken, []);
    // The number within the time depends on the machine.
    t.ok(result.requests > 100, `${result.requests} requests`);
    for (const count of Object.values(result.looked)) t.ok(count > 0, 'something was inspected');
  });
}
