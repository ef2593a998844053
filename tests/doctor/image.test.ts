// The image of session-service holds the doctor for operators, with every package that it imports.

import { readSources } from '@tollgate/tools/docs/source-files.js';
import t from 'tap';
import { readProjectFile } from '../docs/project-file.js';

const DOCTOR = /^tools\/src\/doctor\//;
/** Packages whose files other lines of the Dockerfile copy. */
const PROJECT = /^(shared|services\/session-service)\/src\//;

const dockerfile = readProjectFile('deploy/Dockerfile');
const { packages } = JSON.parse(readProjectFile('package-lock.json')) as {
  packages: Record<string, unknown>;
};
const manifest = (path: string) =>
  JSON.parse(readProjectFile(path)) as { dependencies: Record<string, string> };

t.test('what the doctor imports is copied into the image, from where npm installs it', async (t) => {
  const targets = readSources()
    .filter(({ path }) => DOCTOR.test(path))
    .flatMap(({ imports }) => imports)
    .filter((target) => !DOCTOR.test(target) && !PROJECT.test(target) && !target.startsWith('node:'));
  const { dependencies } = manifest('services/session-service/package.json');
  const further = [...new Set(targets)].filter((name) => !(name in dependencies));
  t.strictSame(further, ['undici']);
  for (const name of further) {
    const path = `tools/node_modules/${name}`;
    t.ok(path in packages, `${path} is where the lock file installs it`);
    t.ok(dockerfile.includes(`\nCOPY --from=build /app/${path} ${path}\n`));
  }
  t.ok(dockerfile.includes('\nCOPY --from=build /app/tools/dist/src/doctor tools/dist/src/doctor\n'));
});

t.test('the manual names the command by its path in the image', async (t) => {
  const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> };
  t.match(readProjectFile('docs/operations/doctor.md'), `docker compose exec session-service ${scripts.doctor} `);
});
