// The types of the client are those of the schemas.
import t from 'tap';
import { wireBodies } from '../../src/docs/wire-bodies.js';
import { readProjectFile } from './project-file.js';

t.test('client/src/wire.ts is what the schemas say (npm run docs)', async (t) => {
  t.equal(readProjectFile('client/src/wire.ts'), wireBodies());
});
