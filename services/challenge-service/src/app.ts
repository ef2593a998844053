// The public application of the challenge service: its own registrations, in reading order.

import type { AuditTrail } from '@tollgate/shared/audit';
import type { ChallengeType } from '@tollgate/shared/challenges';
import { buildPublicApp, type HealthState } from '@tollgate/shared/http';
import { isSameSite } from '@tollgate/shared/same-site';
import type { RequestCounter, Store } from '@tollgate/shared/store';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { ChallengeConfig } from './config.js';
import type { ExtensionServices, OpenExtension } from './extension.js';
import browserFiles from './plugins/browser-files.js';
import { issueLimit } from './plugins/issue-limit.js';
import issuer, { type IssuerOptions } from './plugins/issuer.js';
import aloneImage from './routes/alone-image.js';
import drawImage from './routes/draw-image.js';
import issueImage from './routes/issue-image.js';
import issuePow from './routes/issue-pow.js';
import serveScript from './routes/serve-script.js';

/** The extensions, and the address of their challenges. */
export interface ExtensionDependencies extends Pick<ExtensionServices, 'openChallenges'> {
  readonly list: readonly OpenExtension[];
}

/** Dependencies of both applications; service.ts opens and closes them. */
export interface ChallengeDependencies extends IssuerOptions {
  /** The operator's challenge types, which the host API verifies. */
  readonly kinds?: readonly ChallengeType[];
  /** The configured extensions; none by default. */
  readonly extensions?: ExtensionDependencies;
  /** Counts requests for images on the store. */
  readonly countRequest: RequestCounter;
  /** The stores whose clients are available to plugins as `app.redis.NAME`. */
  readonly redis: Readonly<Record<string, Store>>;
  /** The audit trail. */
  readonly trail: AuditTrail;
  readonly logger: FastifyBaseLogger;
  /** Whether the service stops, and its listeners end their connections. */
  readonly state?: HealthState;
}

/** Builds the public application, ready to listen. */
export async function buildApp(
  config: ChallengeConfig,
  deps: ChallengeDependencies,
): Promise<FastifyInstance> {
  const { values, captcha: options } = config;
  const extensions = deps.extensions?.list ?? [];
  const publicUrl = values.PUBLIC_URL;
  const prefix = `/${options.routes.prefix}`;
  const app = await buildPublicApp({
    ...deps,
    publicUrl,
    isTestMode: options.test_mode,
    trustProxy: values.TRUST_PROXY,
    observe: deps.metrics.requests('public'),
    crossOrigin: {
      origin: config.corsOrigin,
      headers: values.CORS_HEADERS,
      rulesOf: originRulesOf(extensions),
    },
    description: {
      title: 'Tollgate challenge service',
      version: '1',
      description: 'Proof-of-work and image challenges',
      serverUrl: publicUrl,
    },
    limitRanges: values.RATE_LIMIT_RANGES,
  });
  await app.register(issuer, { ...deps, options });
  const address = `${publicUrl.replace(/\/+$/, '')}${prefix}`;
  await app.register(browserFiles);

  const networkFactors = [values.RATE_LIMIT_FACTOR_56, values.RATE_LIMIT_FACTOR_48] as const;
  const powLimit = issueLimit(values.RATE_LIMIT_POW, networkFactors);
  await app.register(issuePow, { prefix, options, limit: powLimit });
  const imageLimit = issueLimit(values.RATE_LIMIT_ISSUE, networkFactors);
  await app.register(issueImage, {
    prefix,
    options,
    limit: imageLimit,
    imagesUrl: (request) => firstOf(extensions, ({ addressFor }) => addressFor?.(request)) ?? address,
  });
  const drawing = {
    limitPerMinute: values.RATE_LIMIT_IMAGE,
    // Without this, browsers do not show the image on pages of another site.
    resourcePolicy: isSameSite(config.corsOrigin, publicUrl) ? 'same-site' : 'cross-origin',
  } as const;
  await app.register(drawImage, { prefix, ...drawing });
  await app.register(aloneImage, {
    prefix,
    options,
    ...drawing,
    limit: issueLimit(values.RATE_LIMIT_NO_SCRIPT, networkFactors),
    countRequest: deps.countRequest,
  });
  await app.register(serveScript, { prefix });
  const limits = { pow: powLimit, image: imageLimit, drawingsPerMinute: values.RATE_LIMIT_IMAGE };
  if (deps.extensions !== undefined) {
    const { list, openChallenges } = deps.extensions;
    const services = { address, kinds: deps.kinds ?? [], trail: deps.trail, limits, openChallenges };
    for (const { plugin } of list) await app.register(plugin, { prefix, ...services });
  }
  return app;
}

/** Returns undefined if no extension has paths for pages of other origins. */
function originRulesOf(extensions: readonly OpenExtension[]) {
  if (extensions.every(({ originRuleOf }) => originRuleOf === undefined)) return undefined;
  return (url: string) => firstOf(extensions, ({ originRuleOf }) => originRuleOf?.(url));
}

/** Returns the first result that is not undefined. */
function firstOf<Item, Result>(
  items: readonly Item[],
  resultOf: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items) {
    const result = resultOf(item);
    if (result !== undefined) return result;
  }
  return undefined;
}
