// Whether the response time of a rejected login reveals that an account exists.
import type { Program } from '../program.js';
import { openSite, type Site } from '../site.js';
import { prepareSolvedWork } from '../solved-work.js';
import { median } from '../statistics.js';

const ATTEMPTS = 200;
const LOW = 0.9;
const HIGH = 1.1;
const ACCOUNT = { email: 'known@example.com', password: 'a password of a benchmark' };

const program: Program = {
  title: `${ATTEMPTS} alternating wrong logins with a known and an unknown e-mail: ratio of the medians`,
  async run(_args, report, open) {
    const site = await open(openSite({ accounts: [ACCOUNT] }));
    const [known, unknown]: [number[], number[]] = [[], []];
    for (let pair = 0; pair < ATTEMPTS / 2; pair++) {
      // Alternates the order, so that neither benefits from warm caches of the other.
      const knownFirst = pair % 2 === 0;
      for (const isKnown of [knownFirst, !knownFirst]) {
        const email = isKnown ? ACCOUNT.email : `unknown-${pair}@example.com`;
        (isKnown ? known : unknown).push(await attemptOnce(site, email));
      }
      await clearFailures(site);
    }
    report.row('known', { ms: known });
    report.row('unknown', { ms: unknown });
    const ratio = median(known) / median(unknown);
    report.verdict('known to unknown', ratio, { atLeast: LOW });
    report.verdict('known to unknown', ratio, { atMost: HIGH });
  },
};
export default program;

async function attemptOnce({ session, environment, storeUrl }: Site, email: string): Promise<number> {
  const [work] = await prepareSolvedWork(storeUrl, environment.CHALLENGE_SECRET!, 1);
  const startedMs = performance.now();
  const response = await fetch(`${session}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'not the password', ...work }),
  });
  const { code } = (await response.json()) as { code: string };
  const elapsedMs = performance.now() - startedMs;
  if (code !== 'login_failed') throw new Error(`a login got the response ${code}`);
  return elapsedMs;
}

/** Clears the failures: from the fifth on an account is throttled, and the wait is not measured. */
async function clearFailures({ redis }: Site): Promise<void> {
  const client = redis!.client;
  const keys = [...(await client.keys('captcha:fail:*')), ...(await client.keys('captcha:wait:*'))];
  if (keys.length > 0) await client.del(...keys);
}
