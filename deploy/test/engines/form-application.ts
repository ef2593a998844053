// An application with plain forms that challenges guard; the only script of its pages imports the element.
import type { AddressInfo } from 'node:net';
import { captcha, challengeGuard, formBodies, pow } from '@tollgate/fastify';
import { challengeFieldsOf } from '@tollgate/shared/http/guard/guarded-attempt.js';
import Fastify, { type FastifyRequest } from 'fastify';
import type { Environment } from '../../src/launcher/local-environment.js';

export interface FormApplication {
  readonly port: number;
  /** The submissions that its handlers received, oldest first. */
  readonly delivered: Record<string, unknown>[];
  stop(): Promise<void>;
}

/** Where it is behind the front. */
export const formsPath = '/forms/';

/** Nothing is allowed that the element does not need, and scripts may not turn text into code. */
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

const pages = {
  'contact.html': { action: 'contact', attributes: '' },
  'image.html': { action: 'image', attributes: 'image="always" start="load"' },
};

/** @param environment the variables of the guard: the secret and the store of the system */
export async function startFormApplication(environment: Environment): Promise<FormApplication> {
  const delivered: Record<string, unknown>[] = [];
  const app = Fastify({ forceCloseConnections: true });
  await app.register(formBodies);
  await app.register(challengeGuard, { application: 'forms', environment });
  for (const [name, { action, attributes }] of Object.entries(pages)) {
    app.get(formsPath + name, async (_request, reply) =>
      reply
        .type('text/html')
        .headers({ 'content-security-policy': strictPolicy, 'x-content-type-options': 'nosniff' })
        .send(documentOf(action, attributes)),
    );
  }
  const deliver = async (request: FastifyRequest) => {
    delivered.push({ ...(request.body as object), ...challengeFieldsOf(request) });
    return 'Delivered.';
  };
  app.post(`${formsPath}contact`, { config: { guards: [pow()] } }, deliver);
  app.post(`${formsPath}image`, { config: { guards: [pow(), captcha] } }, deliver);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    port: (app.server.address() as AddressInfo).port,
    delivered,
    stop: () => app.close(),
  };
}

function documentOf(action: string, attributes: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A form</title>
    <link rel="icon" href="/icon.svg"><script type="module" src="/client/element.js"></script></head>
    <body><main><h1>A form</h1><form method="post" action="${formsPath}${action}">
    <label>Text <input name="text" required></label>
    <tollgate-challenge ${attributes}></tollgate-challenge>
    <button id="send">Send</button></form></main></body></html>`;
}
