// A service that prints its steps, for the lifecycle tests.

import Fastify from 'fastify';
import { runService, startOrExplain } from '../../../../src/http/server/lifecycle.js';

const say = (line: string) => process.stdout.write(`${line}\n`);
const at = { host: '127.0.0.1', port: 0, hostVariable: 'BIND', portVariable: 'PORT' };

await startOrExplain(async () => {
  const publicApp = Fastify();
  const adminApp = Fastify();
  publicApp.addHook('onClose', async () => void say('public closed'));
  adminApp.addHook('onClose', async () => void say('admin closed'));
  await runService({
    logger: publicApp.log,
    publicApp,
    adminApp,
    publicAt: at,
    adminAt: at,
    drainSeconds: 0,
    state: { stopping: false },
    flush: async () => void say('flushed'),
    closeDependencies: async () => void say('dependencies closed'),
  });
  say('listening');
});
