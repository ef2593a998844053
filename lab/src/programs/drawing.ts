// Response times of issuing while images are drawn at full load.
import { setTimeout as sleep } from 'node:timers/promises';
import { openGenerator } from '../load/open-generator.js';
import type { Program } from '../program.js';
import { measureInTurn, ratios } from '../rounds.js';
import { openSite } from '../site.js';

const ROUNDS = 5;
const SECONDS = 3;
/** Requests for a challenge per second. */
const RATE = 500;
const DRAWING_CONNECTIONS = 8;
/** The p99 may be this many times as long: with drawing and issuing on two cores, it cannot stay the same. */
const BOUND = 3;

const program: Program = {
  title: 'GET /api/captcha/pow while images are drawn at full load: p99 compared with its idle value',
  method: `${RATE} requests per second at regular intervals, ${SECONDS} seconds per run, from a separate process; another one requests images over ${DRAWING_CONNECTIONS} connections.
No process is pinned: the drawing threads share the cores with everything else.`,
  async run(_args, report, open) {
    const { challenge } = await open(openSite());
    const [issuer, drawer] = [await open(openGenerator()), await open(openGenerator())];
    const { url } = (await (await fetch(`${challenge}/api/captcha`)).json()) as { url: string };
    const image = `${challenge}${new URL(url).pathname}`;
    const issue = () =>
      issuer.run({
        urls: [`${challenge}/api/captcha/pow`],
        connections: 16,
        seconds: SECONDS,
        rate: RATE,
        pids: {},
      });
    const { idle, drawing } = await measureInTurn(
      {
        async idle() {
          return { p99Ms: (await issue()).p99Ms, images: 0 };
        },
        async drawing() {
          const plan = { urls: [image], connections: DRAWING_CONNECTIONS, seconds: SECONDS + 1, pids: {} };
          const drawn = drawer.run(plan);
          await sleep(500);
          const { p99Ms } = await issue();
          return { p99Ms, images: (await drawn).requestsPerSecond };
        },
      },
      ROUNDS,
    );
    const p99 = (of: typeof idle) => of!.map(({ p99Ms }) => p99Ms);
    report.row('idle', { 'p99 ms': p99(idle) });
    report.row('while drawing', { 'p99 ms': p99(drawing), 'images/s': drawing!.map(({ images }) => images) });
    report.verdict('p99 while drawing, times idle', ratios(p99(drawing), p99(idle)), { atMost: BOUND });
  },
};
export default program;
