// Small web server for pages under test: folders and inline pages, with configurable headers.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

interface StaticSiteOptions {
  /** URL paths, with a slash at both ends, and their folders: `{ '/client/': '/…/dist/src' }` */
  readonly folders?: Readonly<Record<string, string>>;
  /** URL paths and their content: `{ '/': '<!doctype html>…' }`. HTML without an extension. */
  readonly pages?: Readonly<Record<string, string>>;
  /** Headers of all responses, including scripts and worker files; names in any letter case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers per path; they override those above. */
  readonly headersOf?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface StaticSite {
  /** `http://localhost:PORT`, without a slash: a secure context for browsers */
  readonly address: string;
  /** Requested paths, in order. */
  readonly requested: readonly string[];
  stop(): Promise<void>;
}

/** Serves on a free local port until it is stopped; unknown paths are 404. */
export async function startStaticSite(options: StaticSiteOptions): Promise<StaticSite> {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    requested.push(pathname);
    const headers = { ...options.headers, ...options.headersOf?.[pathname] };
    void read(options, pathname).then((body) => {
      if (body === undefined) return response.writeHead(404, headers).end();
      const type = mediaTypes[extname(pathname) || '.html'] ?? 'application/octet-stream';
      return response.writeHead(200, { 'Content-Type': type, ...headers }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://localhost:${port}`,
    requested,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(options: StaticSiteOptions, pathname: string): Promise<string | Buffer | undefined> {
  const page = options.pages?.[pathname];
  if (page !== undefined) return page;
  const path = normalize(decodeURIComponent(pathname));
  for (const [prefix, folder] of Object.entries(options.folders ?? {})) {
    if (!path.startsWith(prefix)) continue;
    try {
      return await readFile(join(folder, path.slice(prefix.length)));
    } catch {
      // Not in this folder; try the next one.
    }
  }
  return undefined;
}
