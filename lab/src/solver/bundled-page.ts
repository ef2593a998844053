// Pages with their scripts bundled as on a site, and one of them in Chromium.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { build } from 'vite';

/** In an isolated page the clock has a resolution of 5 µs instead of 100 µs. */
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** Internal modules of the client. */
const clientFolder = fileURLToPath(new URL('../../../../packages/client/dist/src', import.meta.url));

export interface BundledPage {
  /** Opens a fresh page in the same browser. */
  open(): Promise<Page>;
  close(): Promise<void>;
}

/** A page that any browser can open. */
interface ServedPage {
  readonly address: string;
  close(): void;
}

/**
 * @param entry the compiled script of the page
 * @param policy the content security policy of the page and its scripts; none by default
 * @param packages the folders of imported packages that the project does not have
 */
export async function servePage(
  entry: URL,
  policy?: string,
  packages: Readonly<Record<string, string>> = {},
): Promise<ServedPage> {
  const files = new Map<string, string | Uint8Array>();
  const built = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { '#client': clientFolder, ...packages } },
    build: { write: false, target: 'esnext', rollupOptions: { input: fileURLToPath(entry) } },
    worker: { format: 'es' },
  });
  if (!('output' in built)) throw new Error('expected one bundle');
  for (const part of built.output) {
    files.set(`/${part.fileName}`, part.type === 'chunk' ? part.code : part.source);
  }
  const script = built.output[0].fileName;
  files.set('/', `<!doctype html><title>Bench</title><script type="module" src="/${script}"></script>`);

  const server = createServer((request, response) => {
    const body = files.get(request.url ?? '/');
    const type = mediaTypes[extname(request.url ?? '')] ?? 'text/html';
    const headers = policy === undefined ? isolation : { ...isolation, 'Content-Security-Policy': policy };
    response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': type, ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://localhost:${port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * @param entry the compiled script of the page
 * @param packages the folders of imported packages that the project does not have
 */
export async function bundlePage(
  entry: URL,
  packages: Readonly<Record<string, string>> = {},
): Promise<BundledPage> {
  const served = await servePage(entry, undefined, packages);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
  return {
    async open() {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(served.address);
      await page.waitForFunction('globalThis.bench !== undefined');
      return page;
    },
    async close() {
      await browser.close();
      served.close();
    },
  };
}
