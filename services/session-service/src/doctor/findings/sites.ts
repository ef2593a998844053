// Whether two origins are of one site, as browsers see it for SameSite cookies.

/** `unsure`: only a list of public suffixes could tell. */
export type SiteRelation = 'same' | 'other' | 'unsure';

/**
 * A site is a scheme and a registrable domain; it has no port. Names that share two labels or more are taken for one
 * site, unless what they share could be a public suffix such as `co.uk`.
 */
export function relateSites(one: string, other: string): SiteRelation {
  const [a, b] = [new URL(one), new URL(other)];
  if (a.protocol !== b.protocol) return 'other';
  if (a.hostname === b.hostname) return 'same';
  if (isAddress(a.hostname) || isAddress(b.hostname)) return 'other';
  const shared = sharedLabels(a.hostname.split('.'), b.hostname.split('.'));
  if (shared.length < 2) return 'other';
  const couldBeSuffix = shared.length === 2 && shared.every((label) => label.length <= 3);
  return couldBeSuffix ? 'unsure' : 'same';
}

function sharedLabels(one: readonly string[], other: readonly string[]): string[] {
  const shared: string[] = [];
  for (let back = 1; back <= Math.min(one.length, other.length); back++) {
    const label = one.at(-back);
    if (label === undefined || label !== other.at(-back)) break;
    shared.unshift(label);
  }
  return shared;
}

function isAddress(hostname: string): boolean {
  return /^[\d.]+$|:/.test(hostname);
}
