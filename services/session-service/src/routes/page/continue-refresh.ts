// GET /refresh/continue: the page that refreshes the session of a visitor, and then opens the requested page.

import { readFileSync } from 'node:fs';
import { Type } from '@sinclair/typebox';
import { localise } from '@tollgate/shared/messages';
import type { FastifyInstance } from 'fastify';
import { type ContinueOptions, continueTarget, loginAddress } from '../../domain/continue-target.js';
import { createContinuePage } from '../../page/continue-page.js';

const Page = {
  description: 'The page',
  content: { 'text/html': { schema: { type: 'string' } } },
};

/** Built from the browser package. */
const SCRIPT = new URL('../../../browser/continue.js', import.meta.url);

/** @param options.origins origins of pages that it may open */
export default async function continueRefresh(
  app: FastifyInstance,
  options: Omit<ContinueOptions, 'ownPath'>,
): Promise<void> {
  const basePath = new URL(options.publicUrl).pathname.replace(/\/+$/, '');
  const settings = { ...options, ownPath: `${basePath}/refresh/continue` };
  const page = createContinuePage(readFileSync(SCRIPT, 'utf8'));

  app.get<{ Querystring: { to?: unknown } }>(
    '/refresh/continue',
    {
      config: {
        responseHeaders: {
          'Content-Language': 'Language of the page',
          'Content-Security-Policy': 'Allows only the script and the style of the page',
        },
      },
      schema: {
        operationId: 'continueRefresh',
        summary: 'Refresh the session in the browser, then open another page',
        querystring: Type.Object({
          to: Type.Optional(
            Type.String({ description: 'The page to open: a path, or an address of an allowed origin' }),
          ),
        }),
        response: { 200: Page },
      },
    },
    async (request, reply) => {
      const target = continueTarget(request.query.to, settings);
      const visit = { language: localise(request, reply), basePath, to: target.href };
      return reply
        .headers({ 'content-security-policy': page.policy })
        .type('text/html; charset=utf-8')
        .serializer((text: string) => text)
        .send(page.html({ ...visit, login: loginAddress(target, settings) }));
    },
  );
}
