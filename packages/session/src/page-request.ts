// Reads requests of any framework.

/** A web `Request`, a request of Node or Express, or an object with their method and headers. */
export interface PageRequest {
  readonly method?: string | undefined;
  readonly headers:
    | { get(name: string): string | null }
    | { readonly [name: string]: string | string[] | undefined };
  /** Absolute, or a path. */
  readonly url?: string | undefined;
  /** The path before routers of Express have shortened it. */
  readonly originalUrl?: string | undefined;
}

/** No page cookie is longer. */
const MAX_CHARACTERS = 4096;
/** More cookies of one name come from somebody else. */
const MAX_COOKIES = 8;
/** Characters of tokens, percent-encoded or not. */
const TOKEN = /^[\w.%+/=-]+$/;

/** Returns the values of a cookie that may be tokens. */
export function cookieOf({ headers }: PageRequest, name: string): string[] {
  const header =
    typeof headers.get === 'function' ? headers.get('cookie') : (headers as { cookie?: unknown }).cookie;
  return [header]
    .flat()
    .flatMap((line) => String(line ?? '').split(';'))
    .map((pair) => pair.replace(/^[ \t]+/, ''))
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1).trim())
    .filter((value) => value.length <= MAX_CHARACTERS && TOKEN.test(value))
    .slice(0, MAX_COOKIES);
}

/** Returns path and query of a page; `/` if it has none. */
export function pathOf(page: PageRequest | URL | string): string {
  const isAddress = typeof page === 'string' || 'href' in page;
  const text = isAddress ? String(page) : (page.originalUrl ?? page.url ?? '/');
  if (text.startsWith('/')) return text;
  try {
    const { pathname, search } = new URL(text);
    return pathname + search;
  } catch {
    return '/';
  }
}
