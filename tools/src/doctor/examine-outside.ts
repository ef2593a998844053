// Checks that require only an account and the public address, in order.

import { type Answer, textOf } from './answer.js';
import type { Route } from './exchange.js';
import { type AddressTags, probeAddresses } from './outside/addresses.js';
import { diagnoseAnswers } from './outside/answers.js';
import { diagnoseBodies, probeBodies } from './outside/bodies.js';
import { clocksIn, diagnoseClocks, diagnoseProcessClocks } from './outside/clocks.js';
import { diagnoseCookie } from './outside/cookie.js';
import { diagnoseCrossOrigin, probeCrossOrigin } from './outside/cross-origin.js';
import { diagnoseExposure, probeExposure } from './outside/exposure.js';
import { diagnoseImage, probeImage } from './outside/image.js';
import type { Account, WorkFields } from './outside/login.js';
import { diagnoseOrigins, probeOrigins } from './outside/origins.js';
import { diagnosePublicKeys, probePublicKeys } from './outside/public-keys.js';
import { diagnoseReach, isReached, probeReach } from './outside/reach.js';
import { diagnoseBinding, diagnoseRouting, probeBinding, probeRouting } from './outside/routing.js';
import { diagnoseSession, probeSession } from './outside/session.js';
import { diagnoseTransport, probePlainHttp } from './outside/transport.js';
import type { PublicClient } from './public-client.js';
import type { Finding } from './report.js';

/** The account and login options. */
export interface OutsideOptions {
  /** No login if undefined. */
  readonly account: Account | undefined;
  readonly fields: WorkFields;
  /** Names the ports at which the services may be reachable beside the gateway. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The findings, and inputs of later checks. */
export interface OutsideResult {
  readonly findings: readonly Finding[];
  readonly skipped: readonly string[];
  readonly tags: AddressTags;
  /** The route of the plain requests, and this machine's address on it. */
  readonly route: Route;
  readonly localAddress: string;
  /** An access token of the running service, of a session that has ended. */
  readonly accessToken: string | undefined;
}

/** Runs the checks; if the services cannot be reached, that is the only finding. */
export async function examineOutside(
  client: PublicClient,
  { account, fields, env }: OutsideOptions,
): Promise<OutsideResult> {
  const { publicUrl, challengePrefix, pageOrigin } = client;
  const reach = await probeReach(client);
  const findings = diagnoseReach(reach);
  const routed = await probeRouting(client);
  const routing = diagnoseRouting(routed);
  if (!isReached(reach)) {
    return unreached([...findings, ...routing.filter(({ severity }) => severity !== 'good')]);
  }
  findings.push(...routing);
  const skipped: string[] = [];
  const { work, refresh } = reach;
  const plain = await probePlainHttp(client);
  findings.push(...diagnoseTransport({ publicUrl, answer: refresh, plain }));

  const { tags, answers: issued, route } = await probeAddresses(client);
  if (tags.plain.length === 0) skipped.push('Client addresses: needs a new challenge for each request.');
  const image = await probeImage(client, issued[0] ?? work);
  findings.push(...diagnoseImage(image));
  findings.push(...diagnoseOrigins(await probeOrigins(client)));
  if (pageOrigin === new URL(publicUrl).origin) {
    skipped.push('Cross-origin calls: set CORS_ORIGIN or --origin.');
  } else {
    findings.push(...diagnoseCrossOrigin(await probeCrossOrigin(client)));
  }
  findings.push(...diagnoseBinding(await probeBinding(client)));
  findings.push(...diagnoseBodies(await probeBodies(client)));
  findings.push(...diagnoseExposure(await probeExposure(client, env)));

  const session = account === undefined ? undefined : await probeSession(client, account, fields);
  if (session === undefined) {
    skipped.push('Login, cookie, refresh and logout: set --email.');
  } else {
    findings.push(...diagnoseSession(session));
    const { login, logout } = session;
    if (login.status === 200) findings.push(...diagnoseCookie({ publicUrl, login, logout }));
  }

  const accessToken = session === undefined ? undefined : textOf(session.login, 'accessToken') || undefined;
  findings.push(...diagnosePublicKeys(await probePublicKeys(client, accessToken)));

  const seen: Record<string, Answer | undefined> = {
    [`GET /${challengePrefix}/pow`]: work,
    'POST /refresh': session?.refresh ?? refresh,
    'POST /login': session?.login,
    'GET /profile': session?.profile,
    'the image': image.image?.headers['content-type'] === 'image/png' ? image.image : undefined,
  };
  const answers = Object.fromEntries(Object.entries(seen).filter(([, answer]) => answer !== undefined));
  findings.push(...diagnoseAnswers({ issued, answers: answers as Record<string, Answer> }));
  const clocks = clocksIn(work, session, reach.hereMs);
  if (clocks === undefined) skipped.push('Clocks: the gateway removes the header Date.');
  else findings.push(...diagnoseClocks(clocks));
  findings.push(...diagnoseProcessClocks(routed));
  return {
    findings,
    skipped,
    tags,
    route,
    localAddress: issued[0]?.localAddress ?? '',
    accessToken,
  };
}

function unreached(findings: readonly Finding[]): OutsideResult {
  return {
    findings,
    skipped: ['All other outside checks: the services must be reachable first.'],
    tags: { plain: [], claiming: [], apart: [] },
    route: {},
    localAddress: '',
    accessToken: undefined,
  };
}
