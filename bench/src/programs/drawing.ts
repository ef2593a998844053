// Response times of issuing while images are drawn at full load.
import autocannon from 'autocannon';
import { sendPaced } from '../paced.js';
import type { Program } from '../program.js';
import { openSite, type Site } from '../site.js';
import { median, percentile } from '../statistics.js';

const ROUNDS = 5;
const CLIENTS = 4;
const ISSUES = 400;
const DRAWING_CONNECTIONS = 8;
/** The p99 may be this many times as long: on two cores that draw and issue at the same time, it cannot stay the same. */
const BOUND = 3;

const program: Program = {
  title: 'GET /api/captcha/pow while images are drawn at full load: p99 compared with its idle value',
  async run() {
    const site = await openSite();
    try {
      await issueAll(site);
      const idle: number[] = [];
      const loaded: number[] = [];
      const rates: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        idle.push(await issueAll(site));
        const drawing = await keepDrawing(site);
        loaded.push(await issueAll(site));
        rates.push(await drawing.stop());
      }
      const ratio = median(loaded.map((p99, round) => p99 / idle[round]!));
      console.log(`p99 idle    ${idle.map((ms) => ms.toFixed(1)).join(', ')} ms`);
      console.log(`p99 drawing ${loaded.map((ms) => ms.toFixed(1)).join(', ')} ms`);
      console.log(`ratio       ${ratio.toFixed(2)}; bound ${BOUND}`);
      console.log(`images      ${Math.round(median(rates))} a second meanwhile`);
      return ratio <= BOUND;
    } finally {
      await site.close();
    }
  },
};
export default program;

/** @returns p99 in ms */
async function issueAll({ challenge }: Site): Promise<number> {
  const times = await sendPaced(CLIENTS, ISSUES, async () => {
    const response = await fetch(`${challenge}/api/captcha/pow`);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`an issue got the status ${response.status}`);
  });
  return percentile(times, 0.99);
}

/** Keeps every drawing thread busy. `stop` resolves with the images drawn per second. */
async function keepDrawing({ challenge }: Site): Promise<{ stop(): Promise<number> }> {
  const { url } = (await (await fetch(`${challenge}/api/captcha`)).json()) as { url: string };
  let load: autocannon.Instance | undefined;
  const rate = new Promise<number>((resolve, reject) => {
    load = autocannon(
      { url: `${challenge}${new URL(url).pathname}`, connections: DRAWING_CONNECTIONS, duration: 600 },
      (error, result) => (error ? reject(error) : resolve(result['2xx'] / result.duration)),
    );
  });
  return {
    stop() {
      load?.stop?.();
      return rate;
    },
  };
}
