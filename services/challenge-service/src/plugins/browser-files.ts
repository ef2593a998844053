// Decorates the server with the files that pages load from it, read once.

import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import {
  openWidgetScripts,
  type WidgetScripts,
  type Widgets,
} from '../../extensions/drop-in/widget-scripts.js';
import { type BrowserCopy, type BrowserFiles, readBrowserFiles } from '../browser/browser-files.js';

export type { BrowserCopy, BrowserFiles, Widgets };

declare module 'fastify' {
  interface FastifyInstance {
    browserFiles: BrowserFiles;
    /** The scripts of widgets. */
    widgetScripts: WidgetScripts;
  }
}

/** @param options.address of the service with its prefix, as pages see it, without a slash at its end */
async function browserFiles(app: FastifyInstance, { address }: { address: string }): Promise<void> {
  const files = readBrowserFiles();
  if (files.names.length === 0) {
    app.log.warn('tollgate.js is not built: pages cannot load it from this service (npm run build)');
  }
  app.decorate('browserFiles', files);
  app.decorate('widgetScripts', openWidgetScripts(files, address));
}

/** Where only the code has been compiled the files are missing; then the log has a line about it. */
export default fp(browserFiles, { name: 'tollgate-browser-files', fastify: '5.x' });
