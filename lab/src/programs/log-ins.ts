// Logins, 500 at the same time and 16 at any time: their memory, and the response times of refreshes meanwhile.
import { residentBytes } from '../cpu-time.js';
import { openGenerator } from '../load/open-generator.js';
import { ACCOUNT, logIn } from '../log-in.js';
import type { Program } from '../program.js';
import { measureInTurn, ratios } from '../rounds.js';
import { openSite } from '../site.js';
import { prepareSolvedWork } from '../solved-work.js';

const LOG_INS = 500;
/** Concurrent logins while the refreshes are sent: each connection sends the next after a response. */
const STEADY_LOG_INS = 16;
const ROUNDS = 5;
const CONNECTIONS = 8;
const SECONDS = 3;
/** Refreshes per second. */
const RATE = 400;
const RATIO_BOUND = 2;
const MEMORY_BOUND_MB = 400;
const MEGABYTE = 1024 * 1024;

const program: Program = {
  title:
    '500 logins at once and 16 at any time: memory, and p99 of POST /refresh compared with its idle value',
  method: `${RATE} refreshes per second at regular intervals, ${SECONDS} seconds per run, from a separate process; ${LOG_INS} logins at once,
or ${STEADY_LOG_INS} at any time, from another one. No process is pinned: the hashing threads share the cores with everything else.`,
  async run(_args, report, open) {
    const site = await open(openSite({ accounts: [ACCOUNT] }));
    const [refresher, stranger] = [await open(openGenerator()), await open(openGenerator())];
    const pid = site.system.processes['session-service'].child.pid!;
    let cookies = (await logIn(site, CONNECTIONS)).map(({ cookie }) => cookie);
    let failures = 0;
    const refresh = async () => {
      const urls = [`${site.session}/refresh`];
      const plan = { urls, connections: CONNECTIONS, seconds: SECONDS, rate: RATE, cookies, pids: {} };
      const cost = await refresher.run({ ...plan, method: 'POST' });
      failures += cost.failures;
      cookies = [...cost.cookies];
      return cost.p99Ms;
    };
    await refresh();
    const restingBytes = residentBytes(pid);
    let [highestBytes, round] = [restingBytes, 0];
    const statuses: Record<string, number> = {};
    const refreshBeside = async (connections: number, seconds: number) => {
      round += 1;
      const bodies = await strangersOf(site.storeUrl, site.environment.CHALLENGE_SECRET!, round);
      const watching = setInterval(() => {
        highestBytes = Math.max(highestBytes, residentBytes(pid));
      }, 20);
      const urls = [`${site.session}/login`];
      const headers = { 'content-type': 'application/json' };
      const logIns = stranger.run({ urls, headers, bodies, connections, seconds, pids: {}, method: 'POST' });
      const p99Ms = await refresh();
      for (const [status, count] of Object.entries((await logIns).statuses)) {
        statuses[status] = (statuses[status] ?? 0) + count;
      }
      clearInterval(watching);
      return p99Ms;
    };
    const { idle, steady, busy } = await measureInTurn(
      {
        idle: refresh,
        steady: () => refreshBeside(STEADY_LOG_INS, SECONDS),
        busy: () => refreshBeside(LOG_INS, 60),
      },
      ROUNDS,
    );
    report.row('refresh, idle', { 'p99 ms': idle! });
    report.row(`refresh, beside ${STEADY_LOG_INS} logins at any time`, { 'p99 ms': steady! });
    report.row(`refresh, beside ${LOG_INS} logins at once`, { 'p99 ms': busy! });
    report.row('logins, by status', statuses);
    report.row('memory at rest', { MB: restingBytes / MEGABYTE });
    report.verdict('refreshes that failed', failures, { atMost: 0 });
    for (const [count, p99Ms] of [
      [STEADY_LOG_INS, steady!],
      [LOG_INS, busy!],
    ] as const) {
      const name = `p99 of refresh with ${count} logins, times idle`;
      report.verdict(name, ratios(p99Ms, idle!), { atMost: RATIO_BOUND });
    }
    const extra = (highestBytes - restingBytes) / MEGABYTE;
    report.verdict('memory of the logins', extra, { atMost: MEMORY_BOUND_MB }, 'MB');
  },
};
export default program;

/** Logins of unknown accounts. The service hashes for these, too; on one account most attempts would be throttled. */
async function strangersOf(storeUrl: string, secret: string, round: number): Promise<string[]> {
  const solved = await prepareSolvedWork(storeUrl, secret, LOG_INS);
  return solved.map((work, at) =>
    JSON.stringify({ ...ACCOUNT, email: `nobody-${round}-${at}@example.com`, ...work }),
  );
}
