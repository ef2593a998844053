// What a gateway says that a visitor asks for: the path that rules compare, and the address to return to.

const MOST_CHARACTERS = 2048;

/** The path of a request, as rules see it. */
export interface RequestedPath {
  /** Decoded, without query; of an ambiguous path what most programs make of it. */
  readonly path: string;
  /** An ambiguous path as it stands, decoded, because other programs take it for that. */
  readonly written?: string;
  /**
   * Whether programs read such a path in different ways: one with `..`, an encoded slash or `;` may lead an application
   * elsewhere than to what it looks like. No such path is let through because of what it looks like.
   */
  readonly isAmbiguous: boolean;
  /** Whether nobody can say what path it is; then `path` is `/`. Such a path is ambiguous too. */
  readonly isUnreadable?: boolean;
}

// Dot segments, empty segments, parameters, backslashes, and encoded forms of these, of `%` and of control characters.
const AMBIGUOUS = /\/\/|\/\.+(?:\/|$)|[^!-~]|[\\;#]|%(?:2[ef5]|5c|3[bf]|23|[01][0-9a-f]|7f)/i;

// What a program may take for a slash or backslash, and is none in compatibility form (NFKC) either.
const LIKE_SLASHES = /[\u2044\u2215\u2216\u29f5\u29f8\u29f9]/u;
const SYNTAX = /[/\\;%?#]/g;
// Without variation selectors, which end many an emoji.
const TRAILING_UNSEEN = /[\p{White_Space}\p{Cc}\p{Cf}]+$/u;
const UNSEEN = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

const NOTHING: RequestedPath = { path: '/', isAmbiguous: true, isUnreadable: true };

/** Reads the path of a request target. @param target such as `/a%20b?c=d`; undefined if the gateway does not say */
export function requestedPath(target: string | undefined): RequestedPath {
  if (target?.startsWith('/') !== true || target.length > 16_384) return NOTHING;
  const end = target.indexOf('?');
  const raw = end === -1 ? target : target.slice(0, end);
  if (!raw.includes('%') && !AMBIGUOUS.test(raw)) return { path: raw, isAmbiguous: false };
  try {
    const path = decodeURIComponent(raw);
    if (!AMBIGUOUS.test(raw) && !hasLookalikes(path)) return { path, isAmbiguous: false };
    return { path: plainPath(path), written: path, isAmbiguous: true };
  } catch {
    return NOTHING;
  }
}

/**
 * Returns whether a decoded path has something else where a program may see syntax: full-width letters for slashes or dots,
 * or segments that become dot segments, or other segments, without white space and invisible characters at their end.
 */
function hasLookalikes(path: string): boolean {
  const folded = path.normalize('NFKC');
  if (LIKE_SLASHES.test(path) || folded.match(SYNTAX)?.length !== path.match(SYNTAX)?.length) return true;
  return folded.split('/').some((segment) => {
    const isDots = /^\.*$/.test(segment.replace(UNSEEN, ''));
    return isDots ? segment !== '' : TRAILING_UNSEEN.test(segment);
  });
}

/** Resolves what an application may resolve, so that rules that refuse see through it. */
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
 * Returns the absolute address of a path of a site: that of the site's first page unless it is surely a path of this site.
 * @param wanted path and query, as a form sends them back; anything else is possible
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
