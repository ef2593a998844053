// The requested address as the gateway reports it: the path for the rules, and the address to return to.

const MOST_CHARACTERS = 2048;

/** The path of a request, as rules see it. */
export interface RequestedPath {
  /** Decoded, without query; for an ambiguous path the most common interpretation. */
  readonly path: string;
  /** An ambiguous path, decoded but unresolved, because some programs read it like that. */
  readonly written?: string;
  /**
   * Whether programs interpret the path differently: `..`, an encoded slash or `;` may lead an application elsewhere. No
   * rule passes such a path by its spelling.
   */
  readonly isAmbiguous: boolean;
  /** Whether the path cannot be determined; then `path` is `/`. Such a path is ambiguous too. */
  readonly isUnreadable?: boolean;
}

// Dot segments, empty segments, parameters, backslashes, and encoded forms of these, of `%` and of control characters.
const AMBIGUOUS = /\/\/|\/\.+(?:\/|$)|[^!-~]|[\\;#]|%(?:2[ef5]|5c|3[bf]|23|[01][0-9a-f]|7f)/i;

// Characters that a program may take for a slash or backslash, but that are none in compatibility form (NFKC) either.
const LIKE_SLASHES = /[\u2044\u2215\u2216\u29f5\u29f8\u29f9]/u;
const SYNTAX = /[/\\;%?#]/g;
// Except variation selectors, which end many emoji. Without the lookbehind, each character of a long run elsewhere would be
// the start of another attempt.
const TRAILING_UNSEEN = /(?<![\p{White_Space}\p{Cc}\p{Cf}])[\p{White_Space}\p{Cc}\p{Cf}]+$/u;
const UNSEEN = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

const NOTHING: RequestedPath = { path: '/', isAmbiguous: true, isUnreadable: true };

/** Reads the path of a request target. @param target such as `/a%20b?c=d`; undefined if the gateway omits it */
export function requestedPath(target: string | undefined): RequestedPath {
  if (target?.startsWith('/') !== true || target.length > 16_384) return NOTHING;
  const end = target.indexOf('?');
  const raw = end === -1 ? target : target.slice(0, end);
  if (!raw.includes('%') && !AMBIGUOUS.test(raw)) return { path: raw, isAmbiguous: false };
  try {
    // Gateways may forward bytes above 127 unencoded.
    const path = decodeURIComponent(raw.replace(/[\x80-\xff]/g, encodedByte));
    if (!AMBIGUOUS.test(raw) && !hasLookalikes(path)) return { path, isAmbiguous: false };
    return { path: plainPath(path), written: path, isAmbiguous: true };
  } catch {
    return NOTHING;
  }
}

const encodedByte = (byte: string) => `%${byte.charCodeAt(0).toString(16)}`;

/**
 * Returns a pattern of a rule as it is compared with paths: decoded like them, but unresolved.
 * @param pattern a path in which `*` matches any characters
 */
export function requestedPattern(pattern: string): string {
  const { path, written = path } = requestedPath(pattern);
  return written;
}

/**
 * Returns whether a pattern has a query or a fragment, cannot be decoded, or has an encoded `*`, which would match any
 * characters.
 */
export function isWrongPattern(pattern: string): boolean {
  return /[?#]|%2a/i.test(pattern) || requestedPath(pattern).isUnreadable === true;
}

/**
 * Returns whether a program may see syntax in other characters of a decoded path: full-width letters for slashes or dots, or
 * segments that become dot segments, or other segments, without white space and invisible characters at their end.
 */
function hasLookalikes(path: string): boolean {
  const folded = path.normalize('NFKC');
  if (LIKE_SLASHES.test(path) || folded.match(SYNTAX)?.length !== path.match(SYNTAX)?.length) return true;
  return folded.split('/').some((segment) => {
    const isDots = /^\.*$/.test(segment.replace(UNSEEN, ''));
    return isDots ? segment !== '' : TRAILING_UNSEEN.test(segment);
  });
}

/** Resolves everything that an application may resolve, so that rejecting rules see through it. */
function plainPath(path: string): string {
  const segments: string[] = [];
  let isFolder = false;
  const folded = path.normalize('NFKC').replace(new RegExp(LIKE_SLASHES, 'gu'), '/').replaceAll('\\', '/');
  for (const segment of folded.split('/')) {
    const bare = segment.replace(/;.*$/s, '').replace(TRAILING_UNSEEN, '');
    const seen = bare.replace(UNSEEN, '');
    const name = /^\.*$/.test(seen) ? seen : bare;
    isFolder = name === '' || name === '.' || name === '..';
    if (name === '..') segments.pop();
    else if (!isFolder) segments.push(name);
  }
  return isFolder && segments.length > 0 ? `/${segments.join('/')}/` : `/${segments.join('/')}`;
}

/**
 * Returns the absolute address of a path on a site, or of the site's first page unless the path certainly belongs to this
 * site.
 * @param wanted path and query from a form, unvalidated
 * @param site the origin of the site
 */
export function returnAddress(wanted: unknown, site: string): string {
  const home = `${site}/`;
  if (typeof wanted !== 'string' || wanted.length > MOST_CHARACTERS || !wanted.startsWith('/')) return home;
  // A browser reads `//host` and `/\host` as another site, and skips tabs and line breaks before it does.
  if (/^\/[/\\]|[^!-~]|\\/.test(wanted) || !URL.canParse(wanted, site)) return home;
  const { origin, pathname, search } = new URL(wanted, site);
  return origin === site && !pathname.startsWith('//') ? `${site}${pathname}${search}` : home;
}
