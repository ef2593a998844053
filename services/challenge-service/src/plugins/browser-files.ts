// Decorates the server with the files that pages load from it, read once.

import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { type BrowserCopy, type BrowserFiles, readBrowserFiles } from '../browser/browser-files.js';

export type { BrowserCopy, BrowserFiles };

declare module 'fastify' {
  interface FastifyInstance {
    browserFiles: BrowserFiles;
  }
}

async function browserFiles(app: FastifyInstance): Promise<void> {
  const files = readBrowserFiles();
  if (files.names.length === 0) {
    app.log.warn('tollgate.js is not built: pages cannot load it from this service (npm run build)');
  }
  app.decorate('browserFiles', files);
}

/** If only the code is compiled the files are missing; a log line says so. */
export default fp(browserFiles, { name: 'tollgate-browser-files', fastify: '5.x' });
