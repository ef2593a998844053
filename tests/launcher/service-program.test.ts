// The program file of a service.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { programOf } from '@tollgate/tools/launcher/service-program.js';
import t from 'tap';

const compiled = 'services/session-service/dist/src/server.js';
const bundle = 'services/session-service/dist/bundle/server.js';

t.test('the bundle runs, unless it is missing or older than compiled code', async (t) => {
  const root = tempDir(t);
  const write = (path: string, atSeconds: number) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
    utimesSync(join(root, path), atSeconds, atSeconds);
  };
  const program = () => programOf('session-service', root);
  write(compiled, 1_000);
  write('shared/dist/src/store/store.js', 1_000);
  t.equal(program(), join(root, compiled), 'no bundle');
  write(bundle, 2_000);
  t.equal(program(), join(root, bundle));
  write('shared/dist/src/store/store.js', 3_000);
  t.equal(program(), join(root, compiled), 'a part of it is newer');
  write(bundle, 4_000);
  write('services/challenge-service/dist/src/server.js', 5_000);
  t.equal(program(), join(root, bundle), 'the files of another service do not matter');
});
