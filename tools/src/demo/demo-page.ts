// Routes of the demo page: its files, with a strict content security policy, its configuration, and the documents.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { ChallengeNames } from '../gateway/challenge-names.js';
import type { ShownPrice } from '../gateway/shown-price.js';
import { documentSegments, serveDocuments } from './documents.js';

/** Folders of the demo page's files. */
export interface PageFiles {
  /** Absolute path of the folder with the page's files. */
  readonly folder: string;
  /** Absolute path of the folder with the compiled browser package, which the page imports. */
  readonly clientFolder: string;
}

/** The page's source folder in the project. */
export const shippedPage: PageFiles = {
  folder: fileURLToPath(new URL('../../../page/', import.meta.url)),
  clientFolder: fileURLToPath(new URL('../../../../packages/client/dist/src/', import.meta.url)),
};

interface DemoPageOptions extends PageFiles {
  readonly challenges: ChallengeNames;
  readonly price: ShownPrice;
  readonly publicUrl: string;
  readonly demoEmail?: string | undefined;
}

const policy = [
  "default-src 'none'",
  // 'wasm-unsafe-eval' allows WebAssembly, but no evaluation of text.
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Serves the page at `/`, the element alone at `/forms`, the documents at `/docs/`, the browser package at `/client/`, and
 * the page's configuration at `/page.json`: path and field names of the challenges, price terms, and the form's initial
 * e-mail address. Every file has the policy, because a worker uses that of its own file; the documents have their own.
 */
export async function servePage(app: FastifyInstance, options: DemoPageOptions): Promise<void> {
  app.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('content-security-policy')) reply.header('content-security-policy', policy);
    reply.headers({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-cache',
    });
  });
  app.addHook('onRequest', async (request, reply) => {
    const home = new URL(options.publicUrl);
    // A login from another name of this machine would fail the Origin check, so the page redirects first.
    if (request.host !== home.host && isLoopback(`http://${request.host}`) && isLoopback(home.href)) {
      return reply.redirect(`${home.origin}${home.pathname.replace(/\/+$/, '')}${request.url}`, 307);
    }
  });
  app.get('/page.json', async () => ({
    challenge_prefix: options.challenges.prefix,
    challenge_fields: options.challenges.fields,
    price: {
      floor: options.price.floor,
      ceiling: options.price.ceiling,
      step: options.price.step,
      image_after: options.price.imageAfter,
    },
    demo_email: options.demoEmail ?? null,
  }));
  app.get('/forms', (_request, reply) => reply.sendFile('forms.html', options.folder));
  await serveDocuments(app);
  // Loaded here, because the launcher reads the file names before it starts the services.
  const { default: fastifyStatic } = await import('@fastify/static');
  await app.register(fastifyStatic, {
    root: options.folder,
    decorateReply: false,
    wildcard: false,
    cacheControl: false,
  });
  await app.register(fastifyStatic, {
    root: options.clientFolder,
    prefix: '/client/',
    globIgnore: ['**/*.d.ts', '**/*.map'],
    decorateReply: false,
    wildcard: false,
    cacheControl: false,
  });
}

/** First segments of all paths that `servePage` serves, including the files in its folder. */
export function pageSegments(folder: string): string[] {
  return [...readdirSync(folder), ...documentSegments, 'page.json', 'client', 'forms'];
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && loopbackNames.has(new URL(url).hostname);
}
