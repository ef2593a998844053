// The client's types match the schemas.

import { wireBodies } from '@tollgate/tools/docs/wire-bodies.js';
import t from 'tap';
import { readProjectFile } from './project-file.js';

t.test('packages/client/src/wire.ts matches the schemas (npm run docs)', async (t) => {
  t.equal(readProjectFile('packages/client/src/wire.ts'), wireBodies());
});
