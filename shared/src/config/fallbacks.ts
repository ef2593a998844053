// Defaults of variables, derived from other variables.

import { join } from 'node:path';

/** Returns the URL of the store: `STORE_URL`, else the embedded store in `DATA_DIR`. */
export function storeUrlOf(values: {
  readonly STORE_URL?: string | undefined;
  readonly DATA_DIR?: string | undefined;
}): string {
  return values.STORE_URL ?? `file:${join(values.DATA_DIR ?? './data', 'tollgate.db')}`;
}

/** Returns the URL of the store of challenges and counters: `CAPTCHA_CACHE_STORE`, else the other store's. */
export function cacheStoreUrlOf(values: {
  readonly CAPTCHA_CACHE_STORE?: string | undefined;
  readonly STORE_URL?: string | undefined;
  readonly DATA_DIR?: string | undefined;
}): string {
  return values.CAPTCHA_CACHE_STORE ?? storeUrlOf(values);
}

/** Returns the variable of that store, for messages. */
export function cacheStoreVariableOf(values: {
  readonly CAPTCHA_CACHE_STORE?: string | undefined;
}): 'CAPTCHA_CACHE_STORE' | 'STORE_URL' {
  return values.CAPTCHA_CACHE_STORE === undefined ? 'STORE_URL' : 'CAPTCHA_CACHE_STORE';
}

/** Returns the origin whose pages may call the services: `CORS_ORIGIN`, else that of `PUBLIC_URL`. */
export function corsOriginOf(values: {
  readonly CORS_ORIGIN?: string | undefined;
  readonly PUBLIC_URL: string;
}): string {
  return values.CORS_ORIGIN ?? new URL(values.PUBLIC_URL).origin;
}
