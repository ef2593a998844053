// Decorates the server with the gate: its decision on requests, its passes, and the page for visitors without one.

import type { AuditTrail } from '@tollgate/shared/audit';
import {
  type ChallengeType,
  type ChallengeVerifier,
  createChallengeVerifier,
  normaliseAddress,
  withoutPort,
} from '@tollgate/shared/challenges';
import { GATE_APPLICATION } from '@tollgate/shared/config';
import { acceptedAlgorithms } from '@tollgate/shared/pow';
import type { CaptchaOptions } from '@tollgate/shared/schemas';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { createGateCounters } from './gate-counters.js';
import type { GateOptions } from './gate-options.js';
import { createGatePasses, networkOf, type PassProblem } from './gate-passes.js';
import { createGateRules, type OpenReason } from './gate-rules.js';
import { createKnownRobots } from './known-robots.js';
import type { GatePageSettings } from './page/gate-page.js';
import { passCookie, presentedPasses } from './pass-cookie.js';
import { requestedPath, returnAddress } from './requested-address.js';
import { createRobotNames, type NameResolver, ROBOT_NAME_BOUNDS } from './robot-names.js';

/** The outcome of a request, and the reason. */
export type GateVerdict =
  | { readonly outcome: 'passed'; readonly reason: OpenReason | 'robot' | 'pass' }
  | { readonly outcome: 'asked'; readonly reason: 'missing' | PassProblem }
  /** Possibly a robot: its address could not be looked up. */
  | { readonly outcome: 'asked'; readonly reason: 'not_looked_up'; readonly retryMs: number }
  | { readonly outcome: 'refused'; readonly reason: 'rule' };

/** The gate as routes use it. */
export interface Gate {
  readonly options: GateOptions;
  readonly verifier: ChallengeVerifier;
  readonly page: GatePageSettings;
  /** Returns the origin of the guarded site of a request; null if there is none. */
  siteOf(request: FastifyRequest): string | null;
  /** Decides on the request that a gateway describes. Does not read the store. */
  check(request: FastifyRequest, site: string): Promise<GateVerdict>;
  /** Returns the absolute address on a site for the visitor's return. @param wanted as sent back by a form */
  returnAddress(wanted: unknown, site: string): string;
  /**
   * Returns the note of the page's network; empty if the visitor's address is unknown.
   * @param sent the note that came with a form; kept while it is valid, because the form may come from another network
   */
  noteOf(request: FastifyRequest, site: string, sent?: string): string;
  /** Returns the cookie of a new pass; null if the visitor's address is unknown. @param note that of its page */
  newPassCookie(request: FastifyRequest, site: string, note: string | undefined): string | null;
}

declare module 'fastify' {
  interface FastifyInstance {
    gate: Gate;
  }
}

interface GatePluginOptions {
  readonly options: GateOptions;
  /** Looks up the names of robots. */
  readonly resolver: NameResolver;
  /** Returns the origin of the guarded site with a host; null if there is none. */
  readonly siteWith: (host: string) => string | null;
  /** The path of the public address, without a trailing slash. */
  readonly basePath: string;
  readonly captcha: CaptchaOptions;
  readonly kinds: readonly ChallengeType[];
  readonly trail: AuditTrail;
}

async function gate(app: FastifyInstance, options: GatePluginOptions): Promise<void> {
  app.decorate('gate', openGate(app, options));
}

/** The largest assignment to one customer of a provider. */
const CUSTOMER = { ipv4: 24, ipv6: 48 };
const customerOf = (ip: string) => networkOf(normaliseAddress(ip) ?? ip, CUSTOMER);

function openGate(
  app: FastifyInstance,
  { options, resolver, siteWith, basePath, captcha, kinds, trail }: GatePluginOptions,
): Gate {
  const { metrics, issuer } = app;
  const { ring, challenges: store, random } = issuer;
  const verifier = createChallengeVerifier({
    store,
    ring,
    options: captcha,
    application: GATE_APPLICATION,
    kinds,
    random,
    clock: Date.now,
    observer: metrics.challenges(GATE_APPLICATION, trail),
  });
  const passes = createGatePasses(ring, options.pass);
  const rulesFor = createGateRules(options);
  const counters = createGateCounters(metrics.registry);
  const domains = options.robots.flatMap(({ hosts = [] }) => hosts);
  const clock = () => performance.now();
  const robotOf = createKnownRobots(
    options.robots,
    createRobotNames({ resolver, domains, clock, networkOf: customerOf, ...ROBOT_NAME_BOUNDS }),
  );

  /** Returns null if the request has a valid pass, else the problem of the best one. */
  function passProblem(cookie: string | undefined, site: string, ip: string): 'missing' | PassProblem | null {
    let worst: 'missing' | PassProblem = 'missing';
    const holder = { site, address: normaliseAddress(ip) };
    for (const pass of presentedPasses(cookie, site)) {
      const problem = passes.problemOf(pass, holder, Date.now());
      if (problem === null) return null;
      if (worst === 'missing' || worst === 'forged') worst = problem;
    }
    return worst;
  }

  async function decide(request: FastifyRequest, site: string): Promise<GateVerdict> {
    const { headers } = request;
    const address = plainAddress(request.ip);
    const asked = {
      site,
      method: headerOf(request, 'x-forwarded-method') ?? 'GET',
      path: requestedPath(headerOf(request, 'x-forwarded-uri')),
      address,
    };
    const verdict = rulesFor(asked);
    if (verdict.action === 'pass') return { outcome: 'passed', reason: verdict.reason };
    if (verdict.action === 'refuse') return { outcome: 'refused', reason: 'rule' };
    const problem = passProblem(headers.cookie, site, address);
    if (problem === null) return { outcome: 'passed', reason: 'pass' };
    const robot = await robotOf({ address, userAgent: headers['user-agent'] ?? '' });
    if (robot.name !== null) return { outcome: 'passed', reason: 'robot' };
    if (robot.retryMs === undefined) return { outcome: 'asked', reason: problem };
    return { outcome: 'asked', reason: 'not_looked_up', retryMs: robot.retryMs };
  }

  return {
    options,
    verifier,
    page: {
      basePath,
      prefix: captcha.routes.prefix,
      version: app.browserFiles.version,
      fields: verifier.fieldNames,
      image: options.image,
      effort: captcha.effort.enabled,
      algorithms: acceptedAlgorithms(captcha.pow.algorithms)
        .map(({ algorithm }) => algorithm.name)
        .reverse(),
    },
    siteOf: (request) => siteWith(request.host),
    async check(request, site) {
      const verdict = await decide(request, site);
      counters.checked(verdict);
      return verdict;
    },
    returnAddress,
    noteOf(request, site, sent) {
      const nowMs = Date.now();
      if (sent !== undefined && passes.isFresh(sent, site, nowMs)) return sent;
      const address = normaliseAddress(request.ip);
      return address === null ? '' : passes.note({ site, address }, nowMs);
    },
    newPassCookie(request, site, note) {
      const address = normaliseAddress(request.ip);
      if (address === null) return null;
      counters.issued();
      const shown = { note, passes: presentedPasses(request.headers.cookie, site) };
      return passCookie(site, passes.issue({ site, address }, Date.now(), shown), passes.seconds);
    },
  };
}

/** Returns an IPv4 address as such, whatever translator it came through; any other unchanged, with all its bits. */
function plainAddress(address: string): string {
  const normalised = normaliseAddress(address);
  return normalised?.includes('.') === true ? normalised : withoutPort(address);
}

/** Returns a header as one string; undefined if it is missing. */
export function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join() : value;
}

/** Decorates the server with `gate`. */
export default fp(gate, {
  name: 'tollgate-gate',
  fastify: '5.x',
  dependencies: ['tollgate-issuer', 'tollgate-browser-files'],
});
