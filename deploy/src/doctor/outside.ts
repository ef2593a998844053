// Everything that a stranger with an account can see through the public address.

import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { type Answer, textOf } from './answer.js';
import type { Environment } from './environment.js';
import type { Route } from './exchange.js';
import type { Finding } from './finding.js';
import { lookAtAddresses } from './outside/address-facts.js';
import type { AddressFacts } from './outside/addresses.js';
import { diagnoseAnswers } from './outside/answers.js';
import { diagnoseBodies } from './outside/bodies.js';
import { type ClockPair, diagnoseClocks } from './outside/clocks.js';
import { diagnoseCookie } from './outside/cookie.js';
import { diagnoseCrossOrigin } from './outside/cross-origin.js';
import { diagnoseExposure } from './outside/exposure.js';
import { lookAtExposure } from './outside/exposure-facts.js';
import { diagnoseImage } from './outside/image.js';
import { diagnoseOrigins } from './outside/origins.js';
import { diagnoseReach, isReached } from './outside/reach.js';
import {
  lookAtBodies,
  lookAtCrossOrigin,
  lookAtImage,
  lookAtOrigins,
  lookAtPlainHttp,
} from './outside/requests.js';
import { diagnoseSession, type SessionFacts } from './outside/session.js';
import { type Account, trySession } from './outside/session-facts.js';
import { diagnoseTransport } from './outside/transport.js';
import type { Visitor } from './visitor.js';

/** What was seen, and what later looks need of it. */
export interface OutsideLook {
  readonly findings: readonly Finding[];
  readonly notLookedAt: readonly string[];
  readonly addresses: Pick<AddressFacts, 'plain' | 'claiming' | 'apart'>;
  /** The way of the plain requests, and this machine's address on it. */
  readonly route: Route;
  readonly localAddress: string;
  /** An access token of the running service; of an ended session. */
  readonly accessToken: string | undefined;
}

/** Who signs in, and with which fields. */
export interface Outsider {
  readonly account: Account | undefined;
  readonly fields: CaptchaOptions['pow']['fields'];
  /** Says at which ports the services may be reached beside the gateway. */
  readonly env: Environment;
}

const NO_ADDRESSES = { plain: [], claiming: [], apart: [] };

/** Looks; when the services are not reached, that is all that is said. */
export async function lookFromOutside(visitor: Visitor, outsider: Outsider): Promise<OutsideLook> {
  const { publicUrl, challengePrefix, pageOrigin } = visitor;
  const work = await visitor.issueWork();
  const hereMs = Date.now();
  const refresh = await visitor.send('POST', '/refresh');
  const reach = { publicUrl, challengePrefix, work, refresh };
  const findings = diagnoseReach(reach);
  if (!isReached(reach)) {
    const notLookedAt = ['Everything else that is seen from outside: the services have to be reached first.'];
    return {
      findings,
      notLookedAt,
      addresses: NO_ADDRESSES,
      route: {},
      localAddress: '',
      accessToken: undefined,
    };
  }
  const notLookedAt: string[] = [];
  const plain = await lookAtPlainHttp(visitor);
  findings.push(...diagnoseTransport({ publicUrl, answer: refresh, plain }));

  const { facts: addresses, answers: issued, route } = await lookAtAddresses(visitor);
  if (addresses.plain.length === 0) {
    notLookedAt.push('Client addresses: it needs a new challenge for each request.');
  }
  const image = await lookAtImage(visitor, issued[0] ?? work);
  findings.push(...diagnoseImage({ publicUrl, pageOrigin, ...image }));
  findings.push(...diagnoseOrigins({ pageOrigin, ...(await lookAtOrigins(visitor)) }));
  if (pageOrigin === new URL(publicUrl).origin) {
    notLookedAt.push('Calls from pages of another origin: none is named with CORS_ORIGIN or --origin.');
  } else {
    findings.push(...diagnoseCrossOrigin({ publicUrl, pageOrigin, ...(await lookAtCrossOrigin(visitor)) }));
  }
  findings.push(...diagnoseBodies(await lookAtBodies(visitor)));
  findings.push(...diagnoseExposure(await lookAtExposure(visitor, outsider.env)));

  const session = await signIn(visitor, outsider);
  if (session === undefined)
    notLookedAt.push('Log-in, cookie, refresh and log-out: no account is named with --email.');
  else findings.push(...diagnoseSession(session));
  if (session?.login.status === 200)
    findings.push(...diagnoseCookie({ publicUrl, login: session.login, logout: session.logout }));

  const seen: Record<string, Answer | undefined> = {
    [`GET /${challengePrefix}/pow`]: work,
    'POST /refresh': session?.refresh ?? refresh,
    'POST /login': session?.login,
    'GET /profile': session?.profile,
    'the image': image.image?.headers['content-type'] === 'image/png' ? image.image : undefined,
  };
  const answers = Object.fromEntries(Object.entries(seen).filter(([, answer]) => answer !== undefined));
  findings.push(...diagnoseAnswers({ issued, answers: answers as Record<string, Answer> }));
  const serviceMs = dateOf(work);
  if (serviceMs === undefined) notLookedAt.push('Clocks: the gateway removes the header Date.');
  else findings.push(...diagnoseClocks({ pairs: clockPairs(work, session), serviceMs, hereMs }));
  return {
    findings,
    notLookedAt,
    addresses,
    route,
    localAddress: issued[0]?.localAddress ?? '',
    accessToken: session === undefined ? undefined : textOf(session.login, 'accessToken') || undefined,
  };
}

async function signIn(visitor: Visitor, { account, fields }: Outsider): Promise<SessionFacts | undefined> {
  return account === undefined ? undefined : trySession(visitor, account, fields);
}

/** The store's clock is in what was recorded by it, that of the service in the header of the same answer. */
function clockPairs(work: Answer, session: SessionFacts | undefined): ClockPair[] {
  const issuedMs = Date.parse(textOf(work, 'expires_at')) - Number(work.json.expires_in) * 1000;
  const sessions = (session?.sessions?.json.sessions ?? []) as { created_at?: string; current?: boolean }[];
  const startedMs = Date.parse(sessions.find(({ current }) => current)?.created_at ?? '');
  return [
    { name: 'challenge-service', serviceMs: dateOf(work), storeMs: issuedMs },
    { name: 'session-service', serviceMs: session && dateOf(session.login), storeMs: startedMs },
  ].flatMap(({ name, serviceMs, storeMs }) =>
    serviceMs === undefined || Number.isNaN(storeMs) ? [] : [{ name, serviceMs, storeMs }],
  );
}

function dateOf({ headers }: Answer): number | undefined {
  const ms = Date.parse(headers.date ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
