// Decorates the server with its sites: each with its own challenges, counters, price and rules.

import {
  addressPseudonym,
  type ChallengeStore,
  type ChallengeType,
  normaliseAddress,
  type RequestLimit,
} from '@tollgate/shared/challenges';
import { createProcessCounter, NotFound, refuse } from '@tollgate/shared/http';
import type { CaptchaOptions } from '@tollgate/shared/schemas';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import type { IssuerDependencies } from '../../src/domain/issuing.js';
import { reportCount, WINDOW_MS } from '../../src/plugins/issue-limit.js';
import { hostnameMatcher } from './hostnames.js';
import type { Sites } from './read-sites.js';
import { createReceiptVerifier, type ReceiptVerifier } from './receipt-verifier.js';
import { createRedeemer, type Redeemer } from './redeemer.js';
import type { Site } from './site.js';
import type { SiteParams } from './site-bodies.js';
import { siteChallengeOptions } from './site-challenges.js';
import { createSiteCounters, type SiteCounters } from './site-counters.js';
import { secretFinder } from './site-secrets.js';

/** A served site. */
export interface ServedSite {
  readonly site: Site;
  readonly challenges: ChallengeStore;
  /** The issuing dependencies of its challenges. */
  readonly issuer: IssuerDependencies;
  /** Whether its pages may have this host name. */
  allowsHostname(hostname: string): boolean;
  readonly redeem: Redeemer;
  readonly verify: ReceiptVerifier;
}

/** A valid secret, with its site. */
export interface PresentedSecret {
  readonly served: ServedSite;
  /** Identifies the secret. */
  readonly id: string;
}

/** The sites of a server. */
interface ServedSites {
  /** Counts events on sites. */
  readonly counters: SiteCounters;
  find(key: string): ServedSite | undefined;
  ofSecret(secret: string): PresentedSecret | undefined;
  /** An `onRequest` hook that rejects a request for a site that does not exist. @throws NotFound */
  readonly requireSite: onRequestHookHandler;
  /** An `onRequest` hook that counts a receipt request for site and address. @throws RateLimited */
  countRedemption(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

declare module 'fastify' {
  interface FastifyInstance {
    sites: ServedSites;
  }
}

/** The options of the plugin. */
interface SitesOptions {
  readonly list: Sites;
  /** Opens the challenges and counters of one site. */
  readonly openChallenges: (site: string) => ChallengeStore;
  readonly options: CaptchaOptions;
  readonly kinds: readonly ChallengeType[];
  /** Challenges per address on each site. */
  readonly limit: RequestLimit;
  /** Receipts per minute, address and site. */
  readonly redemptionsPerMinute: number;
}

async function serveSites(app: FastifyInstance, deps: SitesOptions): Promise<void> {
  const { limit, kinds, redemptionsPerMinute } = deps;
  const { ring, random, raisedBits } = app.issuer;
  const { factorOf } = app.limits;
  const serve = (site: Site): ServedSite => {
    const challenges = deps.openChallenges(site.key);
    const options = siteChallengeOptions(deps.options, site);
    return {
      site,
      challenges,
      issuer: { options, ring, limit, factorOf, random, raisedBits },
      allowsHostname: hostnameMatcher(site.hostnames),
      redeem: createRedeemer(site, { store: challenges, ring, options, kinds, random }),
      verify: createReceiptVerifier(site, { store: challenges, ring, random, clock: Date.now }),
    };
  };
  const list = [...deps.list.values()].map(serve);
  const byKey = new Map(list.map((served) => [served.site.key, served]));
  const findSecret = secretFinder(list.map(({ site }) => site));
  const countInProcess = createProcessCounter();

  app.decorate('sites', {
    counters: createSiteCounters(app.metrics.registry, app.metrics.countWork),
    find: (key) => byKey.get(key),
    ofSecret(secret) {
      const known = findSecret(secret);
      const served = known === undefined ? undefined : byKey.get(known.site.key);
      return known === undefined || served === undefined ? undefined : { served, id: known.id };
    },
    requireSite(request, _reply, done) {
      const { sitekey } = request.params as SiteParams;
      done(byKey.has(sitekey) ? undefined : refuse(NotFound));
    },
    async countRedemption(request, reply) {
      const { site } = siteOf(request);
      const ip = normaliseAddress(request.ip);
      const address = addressPseudonym(ring.current, ip ?? '');
      const counted = await countInProcess(`${site.key}:${address}`, WINDOW_MS);
      reportCount(reply, redemptionsPerMinute * factorOf(ip), counted);
    },
  });
}

/** Returns the site of a request that passed `requireSite`. */
export function siteOf({ server, params }: FastifyRequest): ServedSite {
  const served = server.sites.find((params as { sitekey?: string }).sitekey ?? '');
  if (served === undefined) throw new TypeError('the route has no requireSite hook');
  return served;
}

/** Decorates the server with `sites`. */
export default fp(serveSites, {
  name: 'tollgate-sites',
  fastify: '5.x',
  dependencies: ['tollgate-issuer', 'tollgate-rate-limit'],
});
