// 500 log-ins at the same time: their memory, and the response times of refreshes meanwhile.
import { residentBytes } from '../cpu-time.js';
import { sendPaced } from '../paced.js';
import type { Program } from '../program.js';
import { openSite, type Site } from '../site.js';
import { prepareSolvedWork } from '../solved-work.js';
import { median, percentile } from '../statistics.js';

const LOG_INS = 500;
const ROUNDS = 5;
const REFRESHERS = 4;
const REFRESHES = 400;
const RATIO_BOUND = 2;
const MEMORY_BOUND_BYTES = 400 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;
const ACCOUNT = { email: 'bench@example.com', password: 'a password of a benchmark' };

const program: Program = {
  title: '500 parallel log-ins: memory, and p99 of POST /refresh compared with its idle value',
  async run() {
    const site = await openSite({}, [ACCOUNT]);
    const pid = site.system.processes['session-service'].child.pid!;
    try {
      const cookies = await Promise.all(Array.from({ length: REFRESHERS }, () => cookieOf(site)));
      await refreshAll(site, cookies);
      const restingBytes = residentBytes(pid);
      const [idle, busy]: [number[], number[]] = [[], []];
      let highestBytes = restingBytes;
      const answers = new Map<number, number>();
      for (let round = 0; round < ROUNDS; round++) {
        idle.push(await refreshAll(site, cookies));
        const solved = await prepareSolvedWork(site.redis.url, site.environment.CHALLENGE_SECRET!, LOG_INS);
        const watching = setInterval(() => {
          highestBytes = Math.max(highestBytes, residentBytes(pid));
        }, 20);
        const logIns = solved.map(async (work, at) => {
          // The service hashes for unknown accounts too. On one account, most attempts would have to wait.
          const email = `nobody-${round}-${at}@example.com`;
          const { status } = await post(`${site.session}/login`, { ...ACCOUNT, email, ...work });
          answers.set(status, (answers.get(status) ?? 0) + 1);
        });
        busy.push(await refreshAll(site, cookies));
        await Promise.all(logIns);
        clearInterval(watching);
      }
      const ratio = median(busy.map((p99, round) => p99 / idle[round]!));
      const extraBytes = highestBytes - restingBytes;
      console.log(`p99 idle        ${idle.map((ms) => ms.toFixed(1)).join(', ')} ms`);
      console.log(`p99 with logins ${busy.map((ms) => ms.toFixed(1)).join(', ')} ms`);
      console.log(`ratio           ${ratio.toFixed(2)}; bound ${RATIO_BOUND}`);
      const statuses = [...answers].map(([status, count]) => `${count} × ${status}`).join(', ');
      console.log(`log-ins         ${statuses}`);
      console.log(
        `memory          ${Math.round(restingBytes / MEGABYTE)} MB at rest, ${Math.round(extraBytes / MEGABYTE)} MB more at the peak; bound ${MEMORY_BOUND_BYTES / MEGABYTE}`,
      );
      return ratio <= RATIO_BOUND && extraBytes <= MEMORY_BOUND_BYTES;
    } finally {
      await site.close();
    }
  },
};
export default program;

/** @returns p99 in ms */
async function refreshAll({ session }: Site, cookies: string[]): Promise<number> {
  const times = await sendPaced(REFRESHERS, REFRESHES, async (at) => {
    const response = await fetch(`${session}/refresh`, { method: 'POST', headers: { cookie: cookies[at]! } });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`a refresh got the status ${response.status}`);
    cookies[at] = response.headers.getSetCookie()[0]!.split(';')[0]!;
  });
  return percentile(times, 0.99);
}

async function cookieOf(site: Site): Promise<string> {
  const [work] = await prepareSolvedWork(site.redis.url, site.environment.CHALLENGE_SECRET!, 1);
  const response = await post(`${site.session}/login`, { ...ACCOUNT, ...work });
  return response.headers.getSetCookie()[0]!.split(';')[0]!;
}

async function post(url: string, body: object): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response;
}
