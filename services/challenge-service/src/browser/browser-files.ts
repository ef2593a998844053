// The files that pages load from the service: the prebuilt file of the browser package and its languages.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acceptedEncoding } from './accepted-encoding.js';

/** The copies of a file, the smallest first, with the ending of their names. */
const ENDINGS = { br: '.br', gzip: '.gz', identity: '' } as const;
type Encoding = keyof typeof ENDINGS;

/** How many hexadecimal digits of SHA-256 name a file, and all files together. */
const DIGEST_DIGITS = 16;

const builtFolder = fileURLToPath(new URL('../../browser/', import.meta.url));

/** One file in the encoding of its request. */
export interface BrowserCopy {
  readonly encoding: Encoding;
  /** The value of `ETag`. */
  readonly etag: string;
  readonly bytes: Buffer;
}

/** The files that pages load. */
export interface BrowserFiles {
  /** Names all files together: another one if any of them differs. */
  readonly version: string;
  /** Such as `tollgate.js` and `tollgate/fr.js`, sorted; none if only the code is compiled. */
  readonly names: readonly string[];
  /**
   * Returns the smallest copy of a file that the client can read; undefined if there is no such file.
   * @param acceptEncoding `Accept-Encoding` of the request
   */
  copyOf(name: string, acceptEncoding: string | undefined): BrowserCopy | undefined;
}

/** Reads all files with their compressed copies, some 250 kB. @param folder written by `tools/browser-files.js` */
export function readBrowserFiles(folder = builtFolder): BrowserFiles {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const scripts = names.filter((name) => name.endsWith('.js')).sort();
  const files = new Map(scripts.map((name) => [name.replaceAll('\\', '/'), readCopies(join(folder, name))]));
  const digests = [...files].map(([name, { digest }]) => [name, digest]);
  return {
    version: digestOf(JSON.stringify(digests)),
    names: [...files.keys()],
    copyOf(name, acceptEncoding) {
      const file = files.get(name);
      if (file === undefined) return undefined;
      const encoding = acceptedEncoding(acceptEncoding, ['br', 'gzip']);
      return { encoding, etag: `"${file.digest}-${encoding}"`, bytes: file.copies[encoding] };
    },
  };
}

function readCopies(path: string) {
  const copies = Object.fromEntries(
    Object.entries(ENDINGS).map(([encoding, ending]) => [encoding, readFileSync(path + ending)]),
  ) as Record<Encoding, Buffer>;
  return { digest: digestOf(copies.identity), copies };
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, DIGEST_DIGITS);
}
