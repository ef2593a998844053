// Issuing while images are drawn at full load: what happens to the tail of its answers.
import { once } from 'node:events';
import { putLoadOn } from '../load.js';
import type { Program } from '../program.js';
import { openSite, type Site } from '../site.js';
import { median } from '../statistics.js';

const ROUNDS = 5;
const SECONDS = 3;
const ISSUES_AT_ONCE = 4;
const DRAWERS = 8;
/** The tail may be so many times as long; two cores draw and issue at once, so that it cannot be the same. */
const BOUND = 3;

const program: Program = {
  title: 'GET /api/captcha/pow while images are drawn at full load: p99 beside its idle value',
  async run() {
    const site = await openSite();
    const pid = site.system.processes['challenge-service'].child.pid!;
    const issue = () =>
      putLoadOn({
        url: `${site.challenge}/api/captcha/pow`,
        connections: ISSUES_AT_ONCE,
        seconds: SECONDS,
        pid,
      });
    try {
      await issue();
      const idle: number[] = [];
      const loaded: number[] = [];
      let drawn = 0;
      for (let round = 0; round < ROUNDS; round++) {
        idle.push((await issue()).p99Ms);
        const stop = new AbortController();
        const drawing = drawUntil(site, stop.signal);
        loaded.push((await issue()).p99Ms);
        stop.abort();
        drawn += await drawing;
      }
      const ratio = median(loaded.map((p99, round) => Math.max(1, p99) / Math.max(1, idle[round]!)));
      console.log(`p99 idle    ${idle.join(', ')} ms`);
      console.log(
        `p99 drawing ${loaded.join(', ')} ms, ${Math.round(drawn / (ROUNDS * SECONDS))} images/s beside it`,
      );
      console.log(`ratio       ${ratio.toFixed(2)}; bound ${BOUND}`);
      return ratio <= BOUND;
    } finally {
      await site.close();
    }
  },
};
export default program;

/** Keeps every drawing thread busy; a full queue's 503 is asked again at once. @returns images drawn */
async function drawUntil({ challenge }: Site, signal: AbortSignal): Promise<number> {
  const { url } = (await (await fetch(`${challenge}/api/captcha`)).json()) as { url: string };
  const image = `${challenge}${new URL(url).pathname}`;
  let drawn = 0;
  const keepDrawing = async () => {
    while (!signal.aborted) {
      const response = await fetch(image);
      await response.arrayBuffer();
      if (response.ok) drawn++;
    }
  };
  await Promise.all([once(signal, 'abort'), ...Array.from({ length: DRAWERS }, keepDrawing)]);
  return drawn;
}
