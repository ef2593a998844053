// The rules of the gate: whether a request passes, needs a pass, or is rejected.

import { type AddressRanges, addressRanges } from './address-ranges.js';
import type { GateOptions, GateRule } from './gate-options.js';
import { isLike } from './path-pattern.js';
import { type RequestedPath, requestedPattern } from './requested-address.js';

/** A request to a guarded site, as its gateway describes it. */
interface GuardedRequest {
  /** The origin of the site. */
  readonly site: string;
  readonly method: string;
  readonly path: RequestedPath;
  /** The visitor's address as Fastify reports it. */
  readonly address: string;
}

/** Why a request needs no pass. */
export type OpenReason = 'rule' | 'well_known' | 'feed' | 'rest';

/** The verdict of the rules on a request. */
type RuleVerdict =
  | { readonly action: 'pass'; readonly reason: OpenReason }
  | { readonly action: 'check' }
  | { readonly action: 'refuse' };

/** Files at well-known places that programs request, and that are no content of a site. */
const WELL_KNOWN = [
  '/robots.txt',
  '/sitemap.xml',
  '/favicon.ico',
  '/apple-touch-icon*.png',
  '/manifest.webmanifest',
  '/.well-known/*',
];

const READING = ['GET', 'HEAD'];

const CHECK: RuleVerdict = { action: 'check' };
const REFUSE: RuleVerdict = { action: 'refuse' };
const PASS: Readonly<Record<OpenReason, RuleVerdict>> = {
  rule: { action: 'pass', reason: 'rule' },
  well_known: { action: 'pass', reason: 'well_known' },
  feed: { action: 'pass', reason: 'feed' },
  rest: { action: 'pass', reason: 'rest' },
};

/**
 * Returns the function that applies the rules in order; the first match decides. After them come well-known files and feeds,
 * and then the rest.
 */
export function createGateRules(options: GateOptions): (request: GuardedRequest) => RuleVerdict {
  const rules = options.rules.map(({ addresses, paths, ...rule }) => ({
    ...rule,
    paths: paths?.map(requestedPattern),
    holds: addresses === undefined ? undefined : addressRanges(addresses),
  }));
  const open = [
    { paths: options.well_known ? WELL_KNOWN : [], verdict: PASS.well_known },
    { paths: options.feeds.map(requestedPattern), verdict: PASS.feed },
  ];
  // Without a rule that guards paths, no spelling of a path can evade one.
  const guardsPaths = (site: string) =>
    rules.some(
      ({ action, paths, sites }) =>
        action !== 'pass' && paths !== undefined && sites?.includes(site) !== false,
    );
  const isOpen = new Map(options.sites.map((site) => [site, options.rest === 'pass' && !guardsPaths(site)]));
  return (request) => {
    for (const rule of rules) {
      if (!applies(rule, request)) continue;
      if (rule.action === 'check') return CHECK;
      if (rule.action === 'refuse') return REFUSE;
      return PASS.rule;
    }
    const { path, method, site } = request;
    if (path.isAmbiguous) return isOpen.get(site) === true ? PASS.rest : CHECK;
    if (READING.includes(method)) {
      const found = open.find(({ paths }) => paths.some((pattern) => isLike(path.path, pattern)));
      if (found !== undefined) return found.verdict;
    }
    return options.rest === 'pass' ? PASS.rest : CHECK;
  };
}

function applies(
  {
    action,
    sites,
    paths,
    methods,
    holds,
  }: Omit<GateRule, 'addresses' | 'paths'> & {
    readonly paths?: readonly string[] | undefined;
    readonly holds?: AddressRanges | undefined;
  },
  { site, method, path, address }: GuardedRequest,
): boolean {
  if (sites?.includes(site) === false || methods?.includes(method) === false) return false;
  if (holds?.(address) === false) return false;
  if (paths === undefined) return true;
  // Such a path may be any other: no rule passes it by its spelling, and each rule that requires a pass may match.
  if (path.isAmbiguous && action !== 'refuse') return action === 'check';
  // It does not escape a rejecting rule by being incomparable either.
  if (path.isUnreadable === true) return true;
  const readings = path.written === undefined ? [path.path] : [path.path, path.written];
  return paths.some((pattern) => readings.some((reading) => isLike(reading, pattern)));
}
