// The contact forms of docs/examples with `@tollgate/verify`, in a browser with the services.

import { join } from 'node:path';
import { rolldown } from 'rolldown';
import t, { type Test } from 'tap';
import { installRuntimes, startWorkerd } from '../verify/runtimes.js';
import { type Application, type InstalledExample, watch } from './example.js';
import { visitStacks } from './javascript-stacks.js';

/** Bundles the application for the edge, and serves it in workerd. */
async function startWorker(
  t: Test,
  { folder }: InstalledExample,
  variables: Readonly<Record<string, string>>,
): Promise<Application> {
  await installRuntimes();
  const built = await rolldown({
    input: join(folder, 'src', 'app.js'),
    platform: 'neutral',
    tsconfig: false,
  });
  await built.write({ file: join(folder, 'worker.js'), format: 'es' });
  await built.close();
  const { child, port } = await startWorkerd(folder, variables);
  return watch(t, child, port);
}

await visitStacks(t, {
  Express: { example: 'express' },
  'Hono on Node': { example: 'hono', guard: 'widget' },
  'Hono in workerd': { example: 'hono', guard: 'widget', start: startWorker },
  Astro: { example: 'astro', unparsed: ['{'] },
  'React Router': { example: 'react-router' },
  NestJS: { example: 'nestjs' },
});
