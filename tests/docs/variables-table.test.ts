// The table of variables in docs/configuration.md.
import { Type } from '@sinclair/typebox';
import { SessionEnvironment } from '@tollgate/session-service/config.js';
import { variablesTable } from '@tollgate/tools/docs/variables-table.js';
import t from 'tap';

t.test('the table has a row per variable, with its default, its choices and its description', async (t) => {
  const table = variablesTable(
    Type.Object({
      A: Type.String({ description: 'Needed | really' }),
      B: Type.Optional(Type.String({ description: 'Not needed' })),
      C: Type.Integer({ default: 5, description: 'Five' }),
      D: Type.Union([Type.Literal('x'), Type.Literal('y')], { default: 'x', description: 'Either' }),
      E: Type.Optional(Type.String({ description: 'Else', shownDefault: 'that of `C`' })),
      F: Type.String({ description: 'A secret', secret: true }),
    }),
  );
  t.equal(
    table,
    [
      '| `A` | required | Needed \\| really |',
      '| `B` | none | Not needed |',
      '| `C` | `5` | Five |',
      '| `D` | `x` | Either (`x`, `y`) |',
      '| `E` | that of `C` | Else |',
      '| `F`, `F_FILE` | required | A secret |',
    ].join('\n'),
  );
  const names = Object.keys(SessionEnvironment.properties);
  t.equal(variablesTable(SessionEnvironment).split('\n').length, names.length);
});
