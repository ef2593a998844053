// The documents as a site with search, built at the first visit, which also installs its packages.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { projectRoot } from '../launcher/local-environment.js';

/** First path segments of all documents. */
export const documentSegments = ['README.md', 'docs'] as const;

/** A site that can be built. */
export interface Site {
  /** Absolute path of the folder with its pages. */
  readonly folder: string;
  /** Returns whether the pages exist and are newer than the documents. */
  isFresh(): boolean;
  /** Builds the pages. Rejects with the output of the failed program. */
  build(): Promise<void>;
}

const packageFolder = join(projectRoot, 'tools', 'site');
const run = promisify(execFile);

/** The documents of this project, built by VitePress in `tools/site`. */
export const documentsSite: Site = {
  folder: join(packageFolder, 'dist'),
  isFresh() {
    const built = statSync(join(this.folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const docs = readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' });
    const pages = docs.filter((name) => name.endsWith('.md') && !name.includes('node_modules'));
    const sources = ['README.md', ...pages.map((name) => join('docs', name))];
    return sources.every((path) => statSync(join(projectRoot, path)).mtimeMs < built);
  },
  async build() {
    await run('npm', ['run', '--silent', 'site'], { cwd: projectRoot, shell: process.platform === 'win32' });
  },
};

/**
 * Serves the site at `/docs/`, and redirects document paths of the project, such as `/docs/gate.md`, to its pages. During
 * the build it serves a page that reloads itself; if the build fails, 503 with the reason.
 */
export async function serveDocuments(app: FastifyInstance, site: Site = documentsSite): Promise<void> {
  let state: 'unknown' | 'building' | 'ready' | { readonly failure: string } = 'unknown';
  let policy = '';

  /** A fresh site is ready immediately. */
  async function prepare(): Promise<void> {
    state = 'building';
    try {
      if (!site.isFresh()) await site.build();
      policy = policyOf(readFileSync(join(site.folder, 'index.html'), 'utf8'));
      state = 'ready';
    } catch (error) {
      const { stderr, message } = error as Error & { stderr?: string };
      state = { failure: stderr || message };
    }
  }

  function wait(reply: FastifyReply): FastifyReply {
    if (typeof state !== 'object') {
      reply.header('refresh', '3');
      return sendText(
        reply,
        'The documents are being built. This page reloads by itself, for about a minute.',
      );
    }
    const { failure } = state;
    state = 'unknown';
    reply.code(503);
    return sendText(reply, `The documents cannot be built. Read them in the folder docs.\n\n${failure}`);
  }

  // Loaded here, because the launcher reads the file names before it starts the services.
  await app.register(import('@fastify/static'), { root: packageFolder, serve: false });
  app.get('/README.md', (_request, reply) => reply.redirect('docs/'));
  app.get('/docs', (_request, reply) => reply.redirect('docs/'));
  app.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const path = request.params['*'];
    if (path.endsWith('.md')) {
      const [name = ''] = path.split('/').slice(-1);
      return reply.redirect(name === 'README.md' ? './' : name.replace(/md$/, 'html'));
    }
    if (state === 'unknown') void prepare();
    if (state !== 'ready') return wait(reply);
    reply.header('content-security-policy', policy);
    return reply.sendFile(path === '' || path.endsWith('/') ? `${path}index.html` : path, site.folder);
  });
}

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(`${text}\n`);
}

/** Allows the inline scripts of every page by their hashes, and the styles that VitePress sets. */
function policyOf(page: string): string {
  const hashes = [...page.matchAll(/<script(?: id="[\w-]+")?>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
