// An application with plain guarded forms; the only script of its pages imports the element.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { captcha, challengeGuard, formBodies, pow } from '@tollgate/fastify';
import { challengeFieldsOf } from '@tollgate/shared/guard';
import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import Fastify, { type FastifyRequest } from 'fastify';

export interface FormApplication {
  readonly port: number;
  /** The submissions that its handlers received, oldest first. */
  readonly delivered: Record<string, unknown>[];
  stop(): Promise<void>;
}

/** Its path behind the front. */
export const formsPath = '/forms/';

/** Allows only the element's requirements, and scripts may not turn text into code. */
const strictPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types tollgate',
].join('; ');

const { resolve } = createRequire(import.meta.url);

interface LibraryPage {
  /** Its file. */
  readonly library: string;
  /** Attributes of the form. */
  readonly form: string;
  readonly isModule?: true;
}

/** Pages whose forms a library sends. It writes markup and styles, which the strict policy forbids. */
export const libraryPages: Readonly<Record<string, LibraryPage>> = {
  'htmx.html': {
    library: resolve('htmx.org/dist/htmx.min.js'),
    form: `hx-post="${formsPath}contact" hx-target="#answer"`,
  },
  'htmx-1.html': {
    library: resolve('htmx.org-1/dist/htmx.min.js'),
    form: `hx-post="${formsPath}contact" hx-target="#answer"`,
  },
  'turbo.html': {
    library: fileURLToPath(import.meta.resolve('@hotwired/turbo')),
    form: `method="post" action="${formsPath}stream"`,
    isModule: true,
  },
  'jquery.html': { library: resolve('jquery'), form: `action="${formsPath}contact"` },
};
const libraryPolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'unsafe-inline'";
/** Sends the form as pages with jQuery do. */
const serializing = `document.addEventListener('submit', (event) => {
  if (event.defaultPrevented || !window.jQuery) return;
  event.preventDefault();
  jQuery.post(event.target.action, jQuery(event.target).serialize()).done((text) => jQuery('#answer').text(text));
});`;

interface FormPage {
  readonly action: string;
  readonly attributes: string;
  /** Attributes of the form. */
  readonly form?: string;
  /** Whether the element is outside the form, which it names. */
  readonly isOutside?: boolean;
  /** Content below the button. */
  readonly below?: string;
}

const image = 'image="always" start="load"';
const pages: Readonly<Record<string, FormPage>> = {
  'contact.html': { action: 'contact', attributes: '' },
  'image.html': { action: 'image', attributes: image },
  'label.html': {
    action: 'image',
    attributes: `id="check" ${image}`,
    below: '<label for="check">Check</label>',
  },
  'outside.html': { action: 'contact', attributes: 'form="outside"', form: 'id="outside"', isOutside: true },
  'floating.html': { action: 'image', attributes: `display="floating" ${image}` },
  'crowded.html': {
    action: 'image',
    attributes: `display="floating" ${image}`,
    below: '<p><a href="#a">Forgotten</a></p><p><a href="#b">Another way</a></p>',
  },
};

/** @param environment the variables of the guard: the secret and the store of the system */
export async function startFormApplication(environment: Environment): Promise<FormApplication> {
  const delivered: Record<string, unknown>[] = [];
  const app = Fastify({ forceCloseConnections: true });
  await app.register(formBodies);
  await app.register(challengeGuard, { application: 'forms', environment });
  for (const [name, page] of Object.entries(pages)) {
    app.get(formsPath + name, async (_request, reply) =>
      reply
        .type('text/html')
        .headers({ 'content-security-policy': strictPolicy, 'x-content-type-options': 'nosniff' })
        .send(documentOf(page)),
    );
  }
  for (const [name, page] of Object.entries(libraryPages)) {
    app.get(formsPath + name, async (_request, reply) =>
      reply
        .type('text/html')
        .header('content-security-policy', libraryPolicy)
        .send(libraryDocument(name, page)),
    );
    app.get(`${formsPath}${name}.js`, async (_request, reply) =>
      reply.type('text/javascript').send(await readFile(page.library)),
    );
  }
  app.get(`${formsPath}serializing.js`, async (_request, reply) =>
    reply.type('text/javascript').send(serializing),
  );
  const deliver = async (request: FastifyRequest) => {
    const { text } = request.body as { text?: string };
    if (text === 'wrong') throw Object.assign(new Error('The text is wrong.'), { statusCode: 422 });
    delivered.push({ ...(request.body as object), ...challengeFieldsOf(request) });
    return 'Delivered.';
  };
  app.post(`${formsPath}contact`, { config: { guards: [pow()] } }, deliver);
  app.post(`${formsPath}stream`, { config: { guards: [pow()] } }, async (request, reply) => {
    const text = await deliver(request);
    return reply
      .type('text/vnd.turbo-stream.html')
      .send(`<turbo-stream action="update" target="answer"><template>${text}</template></turbo-stream>`);
  });
  app.post(`${formsPath}image`, { config: { guards: [pow(), captcha] } }, deliver);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    port: (app.server.address() as AddressInfo).port,
    delivered,
    stop: () => app.close(),
  };
}

function libraryDocument(name: string, { form, isModule }: LibraryPage): string {
  const type = isModule ? 'type="module"' : '';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A form</title>
    <link rel="icon" href="/icon.svg"><script type="module" src="/client/element.js"></script>
    <script ${type} src="${formsPath}${name}.js"></script><script src="${formsPath}serializing.js"></script></head>
    <body><main><h1>A form</h1><form ${form}><label>Text <input name="text" required></label>
    <tollgate-challenge></tollgate-challenge><button id="send">Send</button></form>
    <p id="answer"></p></main></body></html>`;
}

function documentOf({ action, attributes, form = '', isOutside = false, below = '' }: FormPage): string {
  const element = `<tollgate-challenge ${attributes}></tollgate-challenge>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A form</title>
    <link rel="icon" href="/icon.svg"><script type="module" src="/client/element.js"></script></head>
    <body><main><h1>A form</h1><form method="post" action="${formsPath}${action}" ${form}>
    <label>Text <input name="text" required></label>
    ${isOutside ? '' : element}
    <button id="send">Send</button>${below}</form>${isOutside ? element : ''}</main></body></html>`;
}
