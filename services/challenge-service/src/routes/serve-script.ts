// GET {prefix}/tollgate.js, classic.js and the languages: the prebuilt files of the browser package, for pages of any
// origin.

import { Type } from '@sinclair/typebox';
import { hasCurrent, NotFound, refuse } from '@tollgate/shared/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BrowserCopy } from '../plugins/browser-files.js';

const YEAR_SECONDS = 31_536_000;

/** Seconds that a copy without a version in its name is cached without revalidation: a new release appears after that. */
const SHORT_SECONDS = 300;

/** The part of a path that names the version of the files. */
export const VERSION = ':version(^[0-9a-f]{16}$)';
const LANGUAGE = ':language(^[a-z]{2,8}$).js';

/** The headers that let any page load the file and start workers from it: a worker has the policies of its own file. */
const HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'content-security-policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; frame-ancestors 'none'",
  vary: 'Accept-Encoding',
} as const;

const Script = {
  description: 'The script',
  content: { 'text/javascript': { schema: { type: 'string' } } },
};
export const Unchanged = Type.Null({ description: 'The client has the current content' });
const Moved = Type.Null({ description: 'A file of another release; `Location` is the current one' });
const Params = Type.Object({
  version: Type.Optional(Type.String({ description: 'Version of all files' })),
  language: Type.Optional(Type.String({ description: 'Such as `fr`' })),
});

/** The headers of a script that any page may load, for its description. */
export const SCRIPT_HEADERS = {
  ETag: 'Version of this content in this encoding',
  'Content-Encoding': 'Compression, if the client accepts it',
  'Cross-Origin-Resource-Policy': 'Always `cross-origin`',
};

interface ScriptRoute {
  readonly url: string;
  readonly operationId: string;
  readonly summary: string;
  /** By default `tollgate.js`, or the file of the language in the path. */
  readonly file?: string;
}

const routes: readonly ScriptRoute[] = [
  {
    url: '/tollgate.js',
    operationId: 'loadScript',
    summary: 'Load the form element and the rest of the browser package',
  },
  {
    url: `/tollgate/${LANGUAGE}`,
    operationId: 'loadTexts',
    summary: 'Load the texts of the element in a language',
  },
  {
    url: `/v/${VERSION}/tollgate.js`,
    operationId: 'loadScriptOfVersion',
    summary: 'Load a version of `tollgate.js`; redirects to the current version if it is gone',
  },
  {
    url: `/v/${VERSION}/tollgate/${LANGUAGE}`,
    operationId: 'loadTextsOfVersion',
    summary: 'Load the texts of that version',
  },
  {
    url: '/classic.js',
    file: 'classic.js',
    operationId: 'loadClassicScript',
    summary: 'Load `tollgate.js` from a classic script tag',
  },
  {
    url: `/v/${VERSION}/classic.js`,
    file: 'classic.js',
    operationId: 'loadClassicScriptOfVersion',
    summary: 'Load a version of `tollgate.js` from a classic script tag',
  },
];

interface ScriptRequest {
  Params: { version?: string; language?: string };
}

export default async function serveScript(app: FastifyInstance): Promise<void> {
  serveScripts(app, routes);
}

/** Adds routes for files of the browser package. */
export function serveScripts(app: FastifyInstance, scripts: readonly ScriptRoute[]): void {
  for (const { url, operationId, summary, file = 'tollgate.js' } of scripts) {
    app.get<ScriptRequest>(
      url,
      {
        config: {
          responseHeaders: {
            ...SCRIPT_HEADERS,
            'Cross-Origin-Embedder-Policy': 'Always `require-corp`',
            Location: 'With 302: the current file',
          },
        },
        schema: {
          operationId,
          summary,
          params: Params,
          response: { 200: Script, 302: Moved, 304: Unchanged },
        },
      },
      async (request, reply) => {
        const { version, language } = request.params;
        const name = language === undefined ? file : `tollgate/${language}.js`;
        const copy = app.browserFiles.copyOf(name, request.headers['accept-encoding']);
        if (copy === undefined) throw refuse(NotFound);
        reply.removeHeader('access-control-allow-credentials').headers(HEADERS);
        if (version !== undefined && version !== app.browserFiles.version) {
          // The page, or another node, has another release.
          return reply.redirect(`${language === undefined ? '../../' : '../../../'}${name}`, 302);
        }
        reply.header('cache-control', cachingOf(version));
        return sendCopy(request, reply, copy);
      },
    );
  }
}

/** Sends a copy of a file, or 304 if the client has it. */
export function sendCopy(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, encoding, bytes }: BrowserCopy,
): FastifyReply {
  reply.header('etag', etag);
  if (hasCurrent(request, etag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.send(bytes);
}

function cachingOf(version: string | undefined): string {
  return version === undefined
    ? `public, max-age=${SHORT_SECONDS}`
    : `public, max-age=${YEAR_SECONDS}, immutable`;
}
