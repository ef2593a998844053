// GET {prefix}/api.js and the paths of the vendors' scripts: the widget scripts that pages load.

import { Type } from '@sinclair/typebox';
import { NotFound, refuse } from '@tollgate/shared/http';
import type { FastifyInstance } from 'fastify';
import { SCRIPT_HEADERS, sendCopy, Unchanged } from '../../../src/routes/serve-script.js';
import { openWidgetScripts, type Widgets } from '../widget-scripts.js';

/** The paths below the prefix. `api.js` has all interfaces, unless its query names one. */
const PATHS: readonly (readonly [url: string, operationId: string, widgets: Widgets])[] = [
  ['/api.js', 'loadWidgets', 'all'],
  ['/recaptcha/api.js', 'loadRecaptchaWidgets', 'recaptcha'],
  ['/recaptcha/enterprise.js', 'loadRecaptchaEnterpriseWidgets', 'recaptcha'],
  ['/1/api.js', 'loadHcaptchaWidgets', 'hcaptcha'],
  ['/turnstile/v0/api.js', 'loadTurnstileWidgets', 'turnstile'],
];

const VENDORS: readonly Widgets[] = ['recaptcha', 'hcaptcha', 'turnstile'];

const Query = Type.Object({
  compat: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'With `api.js`: only the interface of `recaptcha`, `hcaptcha` or `turnstile`',
    }),
  ),
});

const Script = {
  description: 'The script, which reads the query of its own tag',
  content: { 'text/javascript': { schema: { type: 'string' } } },
};

/** Any page may load it: also with `crossorigin` on the tag, isolation, and integrity checks. */
const HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'public, max-age=300',
  vary: 'Accept-Encoding',
} as const;

/** @param route.address address of the service with its prefix, as pages see it, without a trailing slash */
export default async function widgetScript(
  app: FastifyInstance,
  { address }: { address: string },
): Promise<void> {
  const copyOf = openWidgetScripts(app.browserFiles, address);
  for (const [url, operationId, widgets] of PATHS) {
    app.get<{ Querystring: { compat?: unknown } }>(
      url,
      {
        config: { responseHeaders: SCRIPT_HEADERS },
        schema: {
          operationId,
          summary: `Load the widget script: ${widgets === 'all' ? 'three interfaces' : widgets}`,
          querystring: Query,
          response: { 200: Script, 304: Unchanged },
        },
      },
      async (request, reply) => {
        const { compat } = request.query;
        const chosen = widgets === 'all' ? (VENDORS.find((vendor) => vendor === compat) ?? 'all') : widgets;
        const copy = await copyOf(chosen, request.headers['accept-encoding']);
        if (copy === undefined) throw refuse(NotFound);
        reply.removeHeader('access-control-allow-credentials').headers(HEADERS);
        return sendCopy(request, reply, copy);
      },
    );
  }
}
