// Reading the environment: values, secrets from files, and misspelt names.

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { configurationLines } from '@tollgate/test-support/configuration-lines.js';
import t from 'tap';
import { ConfigurationError, readEnvironment } from '../../src/config/environment.js';
import { withSecretsFromFiles } from '../../src/config/secret-files.js';
import { unknownVariables } from '../../src/config/unknown-variables.js';

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

// Secrets from files: NAME_FILE beside NAME.

const fileSchema = Type.Object({
  NAME: Type.Optional(Type.String()),
  SECRET: Type.String({ secret: true, minLength: 8 }),
  KEY: Type.Optional(Type.String({ secret: true })),
});
const folder = t.testdir();

function fileOf(content: string): string {
  const path = join(folder, 'secret');
  writeFileSync(path, content);
  return path;
}

t.test('a secret is read from its file, without the final line break', async (t) => {
  for (const end of ['', '\n', '\r\n', '\n\n']) {
    const env = { SECRET_FILE: fileOf(`  of a file ü${end}`) };
    t.strictSame(readEnvironment(fileSchema, env), { SECRET: '  of a file ü' }, JSON.stringify(end));
  }
});

t.test('an empty variable counts as unset, both for the secret and for the file name', async (t) => {
  const path = fileOf('of a file');
  t.strictSame(readEnvironment(fileSchema, { SECRET: '', SECRET_FILE: path, KEY_FILE: '' }), {
    SECRET: 'of a file',
  });
  t.strictSame(readEnvironment(fileSchema, { SECRET: 'of the variable', SECRET_FILE: '' }), {
    SECRET: 'of the variable',
  });
});

t.test('a secret in both variables is rejected, equal or not', async (t) => {
  for (const SECRET of ['of a file', 'another one']) {
    const env = { SECRET, SECRET_FILE: fileOf('of a file') };
    t.strictSame(
      configurationLines(() => readEnvironment(fileSchema, env)),
      ['SECRET must not be set together with SECRET_FILE'],
    );
  }
});

t.test('an unusable file causes one line, and the secret is not also missing', async (t) => {
  const missing = join(folder, 'missing');
  for (const [path, line] of [
    [missing, `SECRET_FILE names a file that cannot be read: ${missing} (file not found)`],
    [folder, `SECRET_FILE names a file that cannot be read: ${folder} (it is a folder)`],
    ['secrets/a', 'SECRET_FILE must be an absolute path, not "secrets/a"'],
  ] as const) {
    t.strictSame(
      configurationLines(() => readEnvironment(fileSchema, { SECRET_FILE: path })),
      [line],
    );
  }
  for (const [content, line] of [
    ['', /^SECRET_FILE names an empty file: /],
    ['\n', /^SECRET_FILE names an empty file: /],
    ['one secret\nanother', /^SECRET_FILE must name a file of one line of text: /],
  ] as const) {
    const path = fileOf(content);
    t.match(
      configurationLines(() => readEnvironment(fileSchema, { SECRET_FILE: path })),
      [line],
    );
  }
});

t.test(
  "another user's file causes one line",
  { skip: process.getuid?.() === 0 && 'root reads every file' },
  async (t) => {
    const path = fileOf('of a file');
    chmodSync(path, 0o000);
    t.teardown(() => chmodSync(path, 0o600));
    t.match(
      configurationLines(() => readEnvironment(fileSchema, { SECRET_FILE: path })),
      [/\(permission denied\)$/],
    );
  },
);

t.test("a file's content is checked like the variable, and never shown", async (t) => {
  t.strictSame(
    configurationLines(() => readEnvironment(fileSchema, { SECRET_FILE: fileOf('hunter2') })),
    ['SECRET must be a text of at least 8 characters'],
  );
});

t.test('only secrets are read from files', async (t) => {
  const env = { SECRET: 'long enough', NAME_FILE: fileOf('a name') };
  t.strictSame(readEnvironment(fileSchema, env), { SECRET: 'long enough' });
});

t.test('an environment is completed for a program that reads variables itself', async (t) => {
  const path = fileOf('of a file\n');
  t.strictSame(withSecretsFromFiles({ SECRET_FILE: path, OTHER_FILE: 'x', NAME: 'a' }, ['SECRET', 'KEY']), {
    SECRET: 'of a file',
    OTHER_FILE: 'x',
    NAME: 'a',
  });
  t.strictSame(
    configurationLines(() =>
      withSecretsFromFiles({ SECRET_FILE: '/missing/a', KEY_FILE: '/missing/b' }, ['SECRET', 'KEY']),
    ),
    [
      'SECRET_FILE names a file that cannot be read: /missing/a (file not found)',
      'KEY_FILE names a file that cannot be read: /missing/b (file not found)',
    ],
  );
});

// Variables that are probably misspelt.

const knownSchema = Type.Object({
  BIND: Type.String(),
  STORE_URL: Type.String({ secret: true }),
  RATE_LIMIT_LOGIN: Type.Integer(),
});
const found = (...names: string[]) =>
  unknownVariables(Object.fromEntries(names.map((name) => [name, 'x'])), knownSchema, {
    prefixes: ['RATE_LIMIT_'],
    known: ['RATE_LIMIT_POW'],
  });

t.test('a variable one typing error away from a known one is reported with the probable name', async (t) => {
  for (const [name, meant] of [
    ['STORE_UR', 'STORE_URL'],
    ['STORE_URLS', 'STORE_URL'],
    ['STORE_URI', 'STORE_URL'],
    ['STORE_ULR', 'STORE_URL'],
    ['STOREURL', 'STORE_URL'],
    ['STORE_URL_FILES', 'STORE_URL_FILE'],
    ['BINDS', 'BIND'],
    ['RATE_LIMIT_LOGINS', 'RATE_LIMIT_LOGIN'],
  ] as const) {
    t.strictSame(found(name), [`${name} is not known: ${meant} may be meant`]);
  }
});

t.test('a variable with a prefix of the service is reported, other variables are not', async (t) => {
  t.strictSame(found('RATE_LIMIT_SIGN_IN', 'RATE_LIMIT_AGE'), [
    'RATE_LIMIT_AGE is not known',
    'RATE_LIMIT_SIGN_IN is not known',
  ]);
  t.strictSame(
    found(
      'BIND',
      'STORE_URL',
      'STORE_URL_FILE',
      'RATE_LIMIT_LOGIN',
      'RATE_LIMIT_POW',
      'PATH',
      'STORE',
      'HOME',
    ),
    [],
  );
  t.strictSame(
    unknownVariables({ STORE_ULR: '' }, knownSchema, { prefixes: [], known: [] }),
    [],
    'an empty one is unset',
  );
});
