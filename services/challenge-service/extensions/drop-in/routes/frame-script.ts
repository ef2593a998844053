// GET {prefix}/frame.js: the script of widget frames.

import type { FastifyInstance } from 'fastify';
import { serveScripts, VERSION } from '../../../src/routes/serve-script.js';

export default async function frameScript(app: FastifyInstance): Promise<void> {
  serveScripts(app, [
    {
      url: '/frame.js',
      file: 'frame.js',
      operationId: 'loadFrame',
      summary: 'Load the script of widget frames',
    },
    {
      url: `/v/${VERSION}/frame.js`,
      file: 'frame.js',
      operationId: 'loadFrameOfVersion',
      summary: 'Load a version of the script; redirects to the current version if it is gone',
    },
  ]);
}
