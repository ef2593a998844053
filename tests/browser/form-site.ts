// A site of plain HTML forms with the real system: pages, the package, and an application with guarded forms.

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import proxy from '@fastify/http-proxy';
import serveFiles from '@fastify/static';
import { captcha, challengeGuard, formBodies, pow } from '@tollgate/fastify';
import { challengeFieldsOf } from '@tollgate/shared/guard';
import { detailsOf } from '@tollgate/shared/http';
import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { startServiceHere } from '@tollgate/tests/system/services-here.js';
import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import { type System, startSystem } from '@tollgate/tools/launcher/system.js';
import Fastify, { type FastifyRequest } from 'fastify';
import type { Test } from 'tap';

export const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
export const policyWithoutWasm = "default-src 'self'; script-src 'self'";

/** Selects the box of an element with solved challenges. */
export const ready = '.box[data-status=ready]';

interface FormSite {
  readonly address: string;
  readonly system: System;
  /** Settings for an application beside the services to verify their challenges. */
  readonly environment: Environment;
  /** Submissions that reached the guarded handlers, oldest first. */
  readonly delivered: Record<string, unknown>[];
  /** Paths of challenge requests, in order, without tokens and tickets. */
  readonly requested: string[];
  /** Adds a page with this body. @returns its address */
  page(body: string, options?: PageOptions): string;
}

interface PageOptions {
  /** Attributes of the root element, e.g. `lang="fr"`; English by default. */
  readonly root?: string;
  /** The policy of the page and of its own-site files. */
  readonly policy?: string;
  /** Further headers of the page. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The head of the page; by default it loads the prebuilt file, one request instead of fifty. */
  readonly head?: string;
}

const clientFolder = fileURLToPath(new URL('.', import.meta.resolve('@tollgate/client/element')));
const prebuiltFile = fileURLToPath(import.meta.resolve('@tollgate/client/tollgate.js'));
const languagesFolder = join(dirname(prebuiltFile), 'tollgate');
const common = { CAPTCHA_TEST_MODE: 'true', CAPTCHA_POW_DIFFICULTY: '10', CAPTCHA_MIN_SECONDS: '0' };
const anyPort = {
  SESSION_PORT: '0',
  SESSION_ADMIN_PORT: '0',
  CHALLENGE_PORT: '0',
  CHALLENGE_ADMIN_PORT: '0',
};

/**
 * Starts the site; it stops when the test ends. Guarded routes: `/contact` (work), `/image` (work and image), `/stream` and
 * `/frame` (work; Turbo responses), all of which reject the text `wrong`, and `/sign-in` (an account with the password `right`; rejections render the form again).
 * @param scripts files that the site serves as scripts, by their paths there
 */
export async function startFormSite(
  t: Test,
  environment: Environment = {},
  scripts: Readonly<Record<string, string>> = {},
): Promise<FormSite> {
  const folder = tempDir(t);
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const settings = { ...common, ...environment };
  const system = await startSystem({
    startService: startServiceHere,
    environment: { DATA_DIR: folder, GATEWAY_PORT: '0', ...anyPort, PUBLIC_URL: address, ...settings },
  });
  t.teardown(() => system.stop());

  const pages = new Map<
    string,
    { html: string; policy: string; headers: Readonly<Record<string, string>> }
  >();
  const delivered: Record<string, unknown>[] = [];
  const requested: string[] = [];
  const app = Fastify({ forceCloseConnections: true });
  t.teardown(() => app.close());
  app.addHook('onSend', async (request, reply) => {
    // Files of the service have their own policies.
    if (request.url.startsWith('/api/captcha')) return;
    // A worker has the policy of its own file, so that file gets the policy of the page that starts it.
    const { pathname } = new URL(request.headers.referer ?? address);
    const page = pages.get(pathOf(request)) ?? pages.get(pathname);
    reply.header('content-security-policy', page?.policy ?? policy);
  });
  app.addHook('onRequest', async (request) => {
    if (request.url.startsWith('/api/captcha')) requested.push(nameOf(request.url));
  });
  await app.register(proxy, {
    upstream: `http://127.0.0.1:${system.ports.challenge}`,
    prefix: '/api/captcha',
    rewritePrefix: '/api/captcha',
  });
  await app.register(serveFiles, { root: clientFolder, prefix: '/client/', maxAge: '1h' });
  const prebuiltText = await readFile(prebuiltFile);
  app.get('/tollgate.js', async (_request, reply) =>
    reply.type('text/javascript').header('cache-control', 'max-age=3600').send(prebuiltText),
  );
  app.get<{ Params: { file: string } }>('/tollgate/:file', async (request, reply) =>
    reply.type('text/javascript').send(await readFile(join(languagesFolder, request.params.file))),
  );
  app.get('/pages/:name', async (request, reply) => {
    const page = pages.get(pathOf(request));
    return reply
      .type('text/html')
      .headers({ ...page?.headers })
      .send(page?.html);
  });
  for (const [path, file] of Object.entries(scripts))
    app.get(path, async (_request, reply) => reply.type('text/javascript').send(await readFile(file)));
  app.get('/empty', async (_request, reply) => reply.code(204).send());
  const hostEnvironment = {
    ...settings,
    CHALLENGE_SECRET: system.secrets.CHALLENGE_SECRET,
    STORE_URL: `file:${folder}/tollgate.db`,
  };
  await app.register(async (host) => {
    await host.register(formBodies);
    await host.register(challengeGuard, { application: 'form-site', environment: hostEnvironment });
    const deliver = async (request: FastifyRequest) => {
      const { text } = request.body as { text?: string };
      if (text === 'wrong') throw Object.assign(new Error('The text is wrong.'), { statusCode: 422 });
      delivered.push({ ...(request.body as object), ...challengeFieldsOf(request) });
      return 'Delivered.';
    };
    host.post('/contact', { config: { guards: [pow()] } }, deliver);
    const streamOf = (text: string) =>
      `<turbo-stream action="append" target="answer"><template>${text}</template></turbo-stream>`;
    host.post(
      '/stream',
      {
        config: { guards: [pow()] },
        errorHandler: (_error, _request, reply) =>
          reply.code(422).type('text/vnd.turbo-stream.html').send(streamOf('Please try again.')),
      },
      async (request, reply) => {
        await deliver(request);
        return reply.type('text/vnd.turbo-stream.html').send(streamOf('Delivered.'));
      },
    );
    host.post('/frame', { config: { guards: [pow()] } }, async (request, reply) => {
      await deliver(request);
      return reply.type('text/html').send('<turbo-frame id="answer">Delivered.</turbo-frame>');
    });
    host.post('/image', { config: { guards: [pow(), captcha] } }, deliver);

    const key = (request: FastifyRequest) => (request.body as { email?: string }).email;
    const render = (refusal: Record<string, unknown>) => documentOf(signInForm(refusal));
    host.post(
      '/sign-in',
      {
        config: { guards: [pow({ key })] },
        errorHandler: (error, _request, reply) =>
          reply
            .code(422)
            .type('text/html')
            .send(render(detailsOf(error).body ?? {})),
      },
      async (request, reply) => {
        const { email = '', password } = request.body as Record<string, string>;
        if (password === 'right') return deliver(request);
        const { failures } = await host.captcha.recordFailure(email);
        const refusal = { ...(await host.captcha.nextAttempt(email, failures, request.ip)) };
        return reply.code(422).type('text/html').send(render(refusal));
      },
    );
  });
  await app.listen({ port, host: '127.0.0.1' });

  return {
    address,
    system,
    environment: hostEnvironment,
    delivered,
    requested,
    page(body, { policy: own = policy, headers = {}, ...options } = {}) {
      const path = `/pages/${pages.size}`;
      pages.set(path, { html: documentOf(body, options), policy: own, headers });
      return address + path;
    },
  };
}

/** A form that requires work and an image. @param attributes of the element */
export function imageForm(attributes = ''): string {
  return `<form method="post" action="/image">
  <label>Text <input name="text"></label>
  <tollgate-challenge ${attributes}></tollgate-challenge>
  <button id="send">Send</button>
</form>`;
}

/** The attributes that a server renders into the form after a rejection. */
export function signInForm(refusal: Record<string, unknown> = {}): string {
  const attributes = [
    refusal.captcha_required === true ? 'captcha-required' : '',
    typeof refusal.pow_scope === 'string' ? `pow-scope="${refusal.pow_scope}"` : '',
    Array.isArray(refusal.captcha_alternatives)
      ? `captcha-alternatives="${refusal.captcha_alternatives.join(' ')}"`
      : '',
  ];
  return `<form method="post" action="/sign-in">
    <label>E-mail <input name="email" value="ann@example.com"></label>
    <label>Password <input name="password" type="password"></label>
    <tollgate-challenge ${attributes.join(' ')}></tollgate-challenge>
    <button>Sign in</button>
  </form>`;
}

/** The head of a page that loads the element module by module. */
export const asModules = '<script type="module" src="/client/element.js"></script>';
const prebuilt = '<script type="module" src="/tollgate.js"></script>';

function documentOf(body: string, { root = 'lang="en"', head = prebuilt }: PageOptions = {}): string {
  return `<!doctype html><html ${root}><head><meta charset="utf-8"><title>A form</title>
    <meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
    ${head}</head><body><main><h1>A form</h1>${body}</main></body></html>`;
}

const pathOf = (request: FastifyRequest) => request.url.replace(/\?.*/, '');

function nameOf(url: string): string {
  return url
    .slice('/api/captcha'.length)
    .replace(/(\?|&)hint=1/, '')
    .replace(/scope=[^&]+/, 'scope=TICKET')
    .replace(/\/\w{40}\.png/, '/TOKEN.png');
}
