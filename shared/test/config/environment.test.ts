// Parsing the environment.

import { Type } from '@sinclair/typebox';
import { configurationLines } from '@tollgate/test-support/configuration-lines.js';
import t from 'tap';
import { ConfigurationError, readEnvironment } from '../../src/config/environment.js';

const schema = Type.Object({
  NAME: Type.String({ description: 'a name' }),
  SECRET: Type.String({ secret: true, minLength: 8 }),
  PORT: Type.Integer({ default: 3001, minimum: 0, maximum: 65_535 }),
  RATIO: Type.Number({ default: 1.5, minimum: 0 }),
  FLAG: Type.Boolean({ default: false }),
  LIST: Type.Optional(Type.Array(Type.String())),
  MODE: Type.Union([Type.Literal('strict'), Type.Literal('lax')], { default: 'strict' }),
});
const right = { NAME: 'a', SECRET: 'long enough' };

t.test('values are converted to their schema types', async (t) => {
  const env = {
    ...right,
    PORT: '8080',
    RATIO: '0.25',
    FLAG: 'true',
    LIST: 'a, b,c',
    MODE: 'lax',
    OTHER: 'x',
  };
  t.strictSame(readEnvironment(schema, env), {
    NAME: 'a',
    SECRET: 'long enough',
    PORT: 8080,
    RATIO: 0.25,
    FLAG: true,
    LIST: ['a', 'b', 'c'],
    MODE: 'lax',
  });
});

t.test('an unset or empty variable has its default, or is absent', async (t) => {
  t.strictSame(readEnvironment(schema, { ...right, PORT: '', LIST: '', FLAG: undefined }), {
    NAME: 'a',
    SECRET: 'long enough',
    PORT: 3001,
    RATIO: 1.5,
    FLAG: false,
    MODE: 'strict',
  });
});

t.test('a missing variable stops the start with a line', async (t) => {
  t.same(
    configurationLines(() => readEnvironment(schema, { SECRET: 'long enough' })),
    ['NAME is missing: it must be a text'],
  );
});

const wrong: Record<string, [string, string]> = {
  'letters for a number': ['PORT', 'http'],
  'a fraction for a whole number': ['PORT', '1.5'],
  'a number with a sign and space': ['PORT', ' +1'],
  'a hexadecimal number': ['PORT', '0x50'],
  'an exponent': ['PORT', '1e3'],
  'a number beyond the range': ['PORT', '65536'],
  'a number below the range': ['RATIO', '-0.5'],
  infinity: ['RATIO', 'Infinity'],
  'yes for a boolean': ['FLAG', 'yes'],
  'a boolean in capitals': ['FLAG', 'TRUE'],
  'an empty element in a list': ['LIST', 'a,,b'],
  'a name that is no choice': ['MODE', 'none'],
};
for (const [title, [name, value]] of Object.entries(wrong)) {
  t.test(`${title} stops the start, with the variable and its value in the line`, async (t) => {
    const lines = configurationLines(() => readEnvironment(schema, { ...right, [name]: value }));
    t.equal(lines.length, 1);
    t.ok(lines[0]?.startsWith(`${name} must be `), String(lines[0]));
    t.ok(lines[0]?.endsWith(`, not ${JSON.stringify(value)}`), String(lines[0]));
  });
}

t.test('the line names the expected value', async (t) => {
  const env = { ...right, PORT: 'x', FLAG: 'x', MODE: 'x', RATIO: 'x' };
  t.same(
    configurationLines(() => readEnvironment(schema, env)),
    [
      'PORT must be a whole number from 0 to 65535, not "x"',
      'RATIO must be a number of 0 or more, not "x"',
      'FLAG must be true or false, not "x"',
      'MODE must be one of strict, lax, not "x"',
    ],
  );
});

t.test("a secret's value is never shown", async (t) => {
  t.same(
    configurationLines(() => readEnvironment(schema, { NAME: 'a', SECRET: 'hunter2' })),
    ['SECRET must be a text of at least 8 characters'],
  );
});

t.test('a long value is truncated, and control characters are escaped', async (t) => {
  const [line = ''] = configurationLines(() =>
    readEnvironment(schema, { ...right, PORT: `\n${'9'.repeat(5000)}` }),
  );
  t.ok(line.length < 200);
  t.match(line, '\\n999');
});

t.test('every error has a line, including errors of the checks', async (t) => {
  const lines = configurationLines(() =>
    readEnvironment(schema, { PORT: 'x', NAME: 'a' }, (values) => {
      t.equal(values.PORT, undefined);
      t.equal(values.NAME, 'a');
      return ['NAME must differ'];
    }),
  );
  t.equal(lines.length, 3);
  t.match(lines, [/^SECRET is missing/, /^PORT must be/, /^NAME must differ$/]);
});

t.test("the error's message contains all of its lines", async (t) => {
  const error = new ConfigurationError(['A is missing', 'B is wrong']);
  t.equal(error.message, 'A is missing\nB is wrong');
  t.equal(error.name, 'ConfigurationError');
});
