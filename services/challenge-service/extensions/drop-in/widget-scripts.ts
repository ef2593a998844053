// The widget scripts, with the address of the service inserted.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { acceptedEncoding } from '../../src/browser/accepted-encoding.js';
import type { BrowserCopy, BrowserFiles } from '../../src/browser/browser-files.js';

/** The placeholder of the address in the built files. */
const PLACEHOLDER = 'https://service-address.invalid';

const DIGEST_DIGITS = 16;

/** The interfaces that a script installs: one vendor's, or all. */
export type Widgets = 'all' | 'recaptcha' | 'hcaptcha' | 'turnstile';

/** Returns the smallest copy of a script that the client can read; undefined if the script is not built. */
type WidgetScripts = (
  widgets: Widgets,
  acceptEncoding: string | undefined,
) => Promise<BrowserCopy | undefined>;

const TEXT = { params: { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } };

const compress: Readonly<Record<BrowserCopy['encoding'], (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, TEXT),
  gzip: (bytes) => promisify(gzip)(bytes),
  identity: async (bytes) => bytes,
};

/** @param address address of the service with its prefix, as pages see it, without a trailing slash */
export function openWidgetScripts(files: BrowserFiles, address: string): WidgetScripts {
  const written = new URL(address).href.replace(/\/+$/, '').replace(/['"`\\$]/g, percentEncoded);
  const copies = new Map<string, Promise<BrowserCopy>>();

  async function copyOf(bytes: Buffer, encoding: BrowserCopy['encoding']): Promise<BrowserCopy> {
    const script = Buffer.from(bytes.toString('utf8').replaceAll(PLACEHOLDER, written));
    const digest = createHash('sha256').update(script).digest('hex').slice(0, DIGEST_DIGITS);
    return { encoding, etag: `"${digest}-${encoding}"`, bytes: await compress[encoding](script) };
  }

  return async (widgets, acceptEncoding) => {
    const file = files.copyOf(`drop-in/${widgets}.js`, undefined);
    if (file === undefined) return undefined;
    const encoding = acceptedEncoding(acceptEncoding, ['br', 'gzip']);
    const key = `${widgets} ${encoding}`;
    // Compressed once, at the first request.
    const copy = copies.get(key) ?? copyOf(file.bytes, encoding);
    copies.set(key, copy);
    return copy;
  };
}

/** The address is within quotes of some kind. */
function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}
