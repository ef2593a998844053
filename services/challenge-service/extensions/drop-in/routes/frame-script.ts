// GET {prefix}/frame.js: what the frames of widgets load.

import type { FastifyInstance } from 'fastify';
import { serveScripts, VERSION } from '../../../src/routes/serve-script.js';

export default async function frameScript(app: FastifyInstance): Promise<void> {
  serveScripts(app, [
    {
      url: '/frame.js',
      file: 'frame.js',
      operationId: 'loadFrame',
      summary: 'The script of the frame of a widget',
    },
    {
      url: `/v/${VERSION}/frame.js`,
      file: 'frame.js',
      operationId: 'loadFrameOfVersion',
      summary:
        'The same under a name that changes with its content; the present one in place of one that is gone',
    },
  ]);
}
