// GET {prefix}/sites/{sitekey}/frame: the page in a widget's frame, which works and redeems.

import { Type } from '@sinclair/typebox';
import { ErrorBody } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';
import { hostnameOf } from '../hostnames.js';
import { SITE_PATH, SiteParams } from '../site-bodies.js';

const FrameQuery = Type.Object({
  origin: Type.Optional(
    Type.Unsafe<unknown>({
      description:
        'Origin of the surrounding page, to report at once that its host name is not one of the site',
    }),
  ),
});

const Frame = { description: 'The page', content: { 'text/html': { schema: { type: 'string' } } } };
const NoFrame = {
  description: 'The page; an error if the path has no site key',
  content: { ...Frame.content, 'application/json': { schema: ErrorBody } },
};

/** It runs only its own script, which starts workers with WebAssembly; it sets no style and loads nothing from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  // Isolated pages may show it.
  'cross-origin-resource-policy': 'cross-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'x-robots-tag': 'noindex',
} as const;

/**
 * Pages that may show the frame, as `frame-ancestors` (CSP 3, 6.4.2): those of the host names on any port, with http too,
 * because the service compares host names only. CSP has no form for IPv6 addresses.
 * @param hostnames of `SITES`, as `readSites` returns them
 */
function ancestorsOf(hostnames: readonly string[]): string {
  if (hostnames.includes('*')) return '*';
  const names = hostnames.filter((name) => !name.endsWith(']'));
  return names.flatMap((name) => [`http://${name}:*`, `https://${name}:*`]).join(' ') || "'none'";
}

export default async function siteFrame(app: FastifyInstance): Promise<void> {
  app.get<{ Params: SiteParams; Querystring: { origin?: unknown } }>(
    `${SITE_PATH}/frame`,
    {
      config: {
        responseHeaders: {
          'Content-Language': 'Language of an error',
          'Cross-Origin-Embedder-Policy': 'Always `require-corp`',
          'Cross-Origin-Resource-Policy': 'Always `cross-origin`',
          'Permissions-Policy': 'Only permissions that a frame needs',
          'X-Robots-Tag': 'Always `noindex`',
        },
      },
      schema: {
        operationId: 'showWidget',
        summary: 'Load the frame of a widget',
        params: SiteParams,
        querystring: FrameQuery,
        response: { 200: Frame, 403: Frame, 404: NoFrame },
      },
    },
    async (request, reply) => {
      const served = app.sites.find(request.params.sitekey);
      const hostname = hostnameOf(request.query.origin);
      const hasNoOrigin = request.query.origin === 'null';
      const isForeign = hasNoOrigin || (hostname !== null && served?.allowsHostname(hostname) === false);
      const problem = served === undefined ? 'sitekey' : isForeign ? 'hostname' : null;
      // A page that may not show the widget gets the reason, in a frame without any function. No list of ancestors, not even
      // *, admits a page without an origin.
      const ancestors = served === undefined || isForeign ? '*' : ancestorsOf(served.site.hostnames);
      const framing = hasNoOrigin ? '' : `; frame-ancestors ${ancestors}`;
      return reply
        .code(problem === null ? 200 : problem === 'sitekey' ? 404 : 403)
        .headers({ ...HEADERS, 'content-security-policy': POLICY + framing })
        .send(documentOf(app.browserFiles.version, served?.site.image ?? 'never', problem));
    },
  );
}

/** @param version names the files that the page loads, relative to its own path */
function documentOf(version: string, image: 'never' | 'always', problem: string | null): string {
  const refusal = problem === null ? '' : ` data-problem="${problem}"`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Security check</title>
<body data-image="${image}"${refusal}>
<script type="module" src="../../v/${version}/frame.js"></script>
</html>
`;
}
