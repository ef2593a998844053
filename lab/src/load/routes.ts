// The measured routes of both services, each with the resources of its requests.

import { HASHWX } from '@tollgate/shared/pow';
import { findNonce } from '@tollgate/test-support/find-nonce.js';
import type { SignedIn } from '../log-in.js';
import type { ServerProcess } from '../server-process.js';
import { HOST_KEY, type Site } from '../site.js';
import { type BodySupply, openSolvedWork } from '../solved-work.js';
import type { Cost, Generator } from './open-generator.js';
import type { LoadPlan } from './plan.js';
import { openReceipts } from './receipts.js';

/** Options of a run. */
export type Pace = Pick<LoadPlan, 'connections' | 'seconds' | 'rate' | 'bodies'>;

/** Applies load to a route once; the processes are named `service` and `Redis`. */
export type Route = (pace: Pace) => Promise<Cost>;

export interface Routes {
  readonly issue: Route;
  readonly guard: Route;
  /** The guard, with work in HashWX. */
  readonly hashwx: Route;
  readonly verify: Route;
  readonly siteverify: Route;
  readonly profile: Route;
  readonly refresh: Route;
  readonly gate: Route;
}

/** The gated site of a run. */
export const GATED_SITE = 'http://gated.test';

const JSON_BODY = { 'content-type': 'application/json' };
/** More than any machine verifies in a run. */
const SOLVED_PER_SECOND = 25_000;

/**
 * @param guarded an application with one guarded route
 * @param signedIn sessions, at least one for each connection
 */
export function openRoutes(
  site: Site,
  guarded: ServerProcess,
  signedIn: readonly SignedIn[],
  generator: Generator,
): Routes {
  const pids = (service: number) => ({ service, ...(site.redis && { Redis: site.redis.pid }) });
  const session = pids(site.system.processes['session-service'].child.pid!);
  const challenge = pids(site.system.processes['challenge-service'].child.pid!);
  const { storeUrl, environment } = site;
  const supply = (algorithm?: string) => openSolvedWork(storeUrl, environment.CHALLENGE_SECRET!, algorithm);
  const [solved, solvedHashwx] = [supply(), supply(HASHWX)];
  let pass: string | undefined;
  let cookies: readonly string[] = signedIn.map(({ cookie }) => cookie);

  const submit =
    (plan: Pick<LoadPlan, 'urls' | 'headers' | 'pids'>, work: BodySupply): Route =>
    async (pace) => {
      const bodies = await work.take(Math.ceil(pace.seconds * (pace.rate ?? SOLVED_PER_SECOND)));
      const cost = await generator.run({ ...plan, method: 'POST', bodies, ...pace });
      work.giveBack(bodies.slice(0, bodies.length - cost.answered - cost.failures));
      return cost;
    };

  const guardPlan = { urls: [guarded.url], headers: JSON_BODY, pids: pids(guarded.pid) };
  return {
    issue: (pace) => generator.run({ urls: [`${site.challenge}/api/captcha/pow`], pids: challenge, ...pace }),
    guard: submit(guardPlan, solved),
    hashwx: submit(guardPlan, solvedHashwx),
    verify: submit(
      {
        urls: [`${site.challengeAdmin}/host/verify`],
        headers: { ...JSON_BODY, authorization: `Bearer ${HOST_KEY}` },
        pids: challenge,
      },
      solved,
    ),
    siteverify: submit(
      {
        urls: [`${site.challenge}/api/captcha/siteverify`],
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        pids: challenge,
      },
      openReceipts(storeUrl, environment.CHALLENGE_SECRET!),
    ),
    profile: (pace) =>
      generator.run({
        urls: [`${site.session}/profile`],
        headers: { authorization: `Bearer ${signedIn[0]!.accessToken}` },
        pids: session,
        ...pace,
      }),
    // A gateway's check of a request with a pass.
    async gate(pace) {
      pass ??= await passOf(site);
      const headers = { ...gatedHeaders, cookie: pass };
      return generator.run({
        urls: [`${site.challenge}/api/captcha/gate/check`],
        headers,
        pids: challenge,
        ...pace,
      });
    },
    // Refresh tokens are single-use: each connection sends the last one received, in this run or the previous one.
    async refresh(pace) {
      const urls = [`${site.session}/refresh`];
      const cost = await generator.run({ urls, method: 'POST', cookies, pids: session, ...pace });
      cookies = [...cost.cookies, ...cookies.slice(cost.cookies.length)];
      return cost;
    },
  };
}

const gatedHeaders = {
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-host': new URL(GATED_SITE).host,
  'x-forwarded-method': 'GET',
  'x-forwarded-uri': '/wanted?a=b',
  accept: 'text/html',
};

/** Solves work for a pass of the gate, in front of `GATED_SITE`. Returns its cookie. */
async function passOf({ challenge }: Site): Promise<string> {
  const work = await (await fetch(`${challenge}/api/captcha/pow`, { headers: gatedHeaders })).json();
  const { token, salt, difficulty } = work as { token: string; salt: string; difficulty: number };
  const answer = await fetch(`${challenge}/api/captcha/gate/pass`, {
    method: 'POST',
    headers: { ...gatedHeaders, ...JSON_BODY, accept: 'application/json' },
    body: JSON.stringify({ pow_token: token, pow_nonce: findNonce(salt, difficulty) }),
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`no pass: ${answer.status} ${await answer.text()}`);
  return cookie;
}
