// The session-service image includes doctor for operators, with every package that it imports.

import { reachableFrom, readSources } from '@tollgate/tools/docs/source-files.js';
import t from 'tap';
import { readProjectFile } from '../docs/project-file.js';

const DOCTOR = /^tools\/src\/doctor\//;

const dockerfile = readProjectFile('deploy/Dockerfile');
const { packages } = JSON.parse(readProjectFile('package-lock.json')) as {
  packages: Record<string, unknown>;
};
const manifest = (path: string) =>
  JSON.parse(readProjectFile(path)) as {
    dependencies: Record<string, string>;
    optionalDependencies?: Record<string, string>;
  };

t.test('the imports of doctor are copied into the image from their npm paths', async (t) => {
  const sources = readSources();
  const doctor = sources.filter(({ path }) => DOCTOR.test(path));
  const reached = new Set(doctor.flatMap(({ path }) => [...reachableFrom(path, sources)]));
  const targets = sources
    .filter(({ path }) => reached.has(path))
    .flatMap(({ imports }) => imports)
    .filter((target) => !reached.has(target) && !target.startsWith('node:'))
    .map((target) => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? '');
  const installed = {
    ...manifest('services/session-service/package.json').dependencies,
    ...manifest('services/session-service/package.json').optionalDependencies,
    ...manifest('shared/package.json').dependencies,
  };
  const further = [...new Set(targets)].filter((name) => !(name in installed)).sort();
  t.strictSame(further, ['tldts', 'undici']);
  for (const path of ['node_modules/tldts', 'node_modules/tldts-core', 'tools/node_modules/undici']) {
    t.ok(path in packages, `${path} is where the lock file installs it`);
    t.ok(dockerfile.includes(`\nCOPY --from=build /app/${path} ${path}\n`));
  }
  t.ok(dockerfile.includes('\nCOPY --from=build /app/tools/dist/src/doctor tools/dist/src/doctor\n'));
});

t.test('the manual has the path of the command in the image', async (t) => {
  const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> };
  t.match(
    readProjectFile('docs/operations/doctor.md'),
    `docker compose exec session-service ${scripts.doctor} `,
  );
});
