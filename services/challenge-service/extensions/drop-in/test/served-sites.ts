// The public application with two sites, and a page and a server for each.

import { hash } from 'node:crypto';
import { openKeyRing } from '@tollgate/shared/crypto';
import { createLogger } from '@tollgate/shared/http';
import { openChallengeStore, openRequestCounter, type Store } from '@tollgate/shared/store';
import { trailTo } from '@tollgate/test-support/audit.js';
import { findNonce } from '@tollgate/test-support/find-nonce.js';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Test } from 'tap';
import { buildApp } from '../../../src/app.js';
import { readChallengeConfig } from '../../../src/config.js';
import { createChallengeMetrics } from '../../../src/plugins/challenge-metrics.js';
import { dropInExtension } from '../drop-in-extension.js';
import { readSites } from '../read-sites.js';
import type { Site } from '../site.js';

export const SECRETS = {
  shop: 'the-secret-of-the-shop-000000000000000000',
  forum: 'the-secret-of-the-forum-00000000000000000',
} as const;
type SiteName = keyof typeof SECRETS;

export const ORIGINS = { shop: 'https://shop.example', forum: 'https://forum.example' } as const;
export const OWN_ORIGIN = 'https://gate.test';
export const IP = '203.0.113.7';
const CHALLENGE_SECRET = 'challenge-secret-of-the-sites-0001';

const sha256 = (text: string) => hash('sha256', text);

/** Work solved by a page. */
interface Work {
  readonly pow_token: string;
  readonly pow_nonce: string;
}

interface SitesUnderTest {
  readonly app: FastifyInstance;
  inject(request: InjectOptions): Promise<LightMyRequestResponse>;
  /** Work for a site, or for the plain endpoint. */
  work(site: SiteName | null, isSolved?: boolean): Promise<Work>;
  /** Redeems fields as a page on the site would. */
  redeem(site: SiteName, body: object, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  /** A receipt for new work. */
  receipt(site: SiteName, fields?: object): Promise<string>;
  /** Sends a form as a server would. */
  verify(fields: Record<string, string>): Promise<LightMyRequestResponse>;
  /** The verdict on a receipt with the site's secret. */
  verdict(site: SiteName, receipt: string, more?: Record<string, string>): Promise<Record<string, unknown>>;
  log(): string;
  metrics(): Promise<string>;
}

/** Changes to the default sites. */
interface SitesOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Options for every site. */
  readonly options?: Partial<Site>;
  /** The lowest log level. */
  readonly level?: 'debug' | 'error';
}

/** Opens the sites. Their work is easier than the configuration allows. The options override those of every site. */
export async function openSites(
  t: Test,
  store: Store,
  { env = {}, options = {}, level = 'debug' }: SitesOptions = {},
): Promise<SitesUnderTest> {
  const variables = {
    PUBLIC_URL: OWN_ORIGIN,
    CHALLENGE_SECRET,
    RATE_LIMIT_POW: '1000000',
    RATE_LIMIT_ISSUE: '1000000',
    RATE_LIMIT_REDEEM: '1000000',
    RATE_LIMIT_SITEVERIFY: '1000000',
    CAPTCHA_POW_VOLUME_STEP: '0',
    CAPTCHA_TEST_MODE: 'true',
    CAPTCHA_POW_DIFFICULTY: '1',
    ...env,
  };
  const entry = (site: SiteName, hostnames: string[]) => ({
    secret_sha256: sha256(SECRETS[site]),
    hostnames,
  });
  const text = JSON.stringify({
    shop: entry('shop', ['shop.example', '*.shop.example']),
    forum: entry('forum', ['forum.example']),
  });
  const list = new Map(
    [...readSites(text, '/')].map(([key, site]) => [key, { ...site, difficulty: 1, ...options }]),
  );
  const dropIn = dropInExtension(() => list);
  const config = readChallengeConfig(variables, [dropIn]);
  let log = '';
  const write = (line: string) => {
    log += line;
  };
  const metrics = createChallengeMetrics({ process: false });
  const { prefix } = config.captcha.cache;
  const app = await buildApp(config, {
    challenges: openChallengeStore(store, prefix),
    countRequest: openRequestCounter(store, prefix),
    ring: openKeyRing(CHALLENGE_SECRET),
    images: null,
    onOtherDriver: () => {},
    redis: {},
    extensions: {
      list: [dropIn.open(config, '/')].filter((open) => open !== undefined),
      openChallenges: (site) => openChallengeStore(store, prefix, site),
    },
    metrics,
    trail: trailTo((line) => write(`${line}\n`), 'challenge-service', metrics.audit),
    logger: createLogger({ name: 'test', level }, { write }),
  });
  t.teardown(() => app.close());

  const inject = (request: InjectOptions) => app.inject({ remoteAddress: IP, ...request });
  const work: SitesUnderTest['work'] = async (site, isSolved = true) => {
    const path = site === null ? '/pow' : `/sites/${site}/pow`;
    const { token, salt, difficulty } = (await inject({ url: `/api/captcha${path}` })).json();
    return { pow_token: token, pow_nonce: findNonce(salt, difficulty, isSolved) };
  };
  const redeem: SitesUnderTest['redeem'] = (site, body, headers = { origin: ORIGINS[site] }) =>
    inject({ method: 'POST', url: `/api/captcha/sites/${site}/redeem`, headers, payload: body });
  const verify: SitesUnderTest['verify'] = (fields) =>
    inject({
      method: 'POST',
      url: '/api/captcha/siteverify',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: String(new URLSearchParams(fields)),
    });
  return {
    app,
    inject,
    work,
    redeem,
    verify,
    async receipt(site, fields = {}) {
      const response = await redeem(site, { ...(await work(site)), ...fields });
      if (response.statusCode !== 200) throw new Error(response.body);
      return response.json().token;
    },
    async verdict(site, response, more = {}) {
      return (await verify({ secret: SECRETS[site], response, ...more })).json();
    },
    log: () => log,
    metrics: () => metrics.registry.text(),
  };
}
