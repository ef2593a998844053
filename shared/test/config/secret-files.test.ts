// Secrets from files: NAME_FILE beside NAME.

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { configurationLines } from '@tollgate/test-support/configuration-lines.js';
import t from 'tap';
import { readEnvironment } from '../../src/config/environment.js';
import { withSecretsFromFiles } from '../../src/config/secret-files.js';

const schema = Type.Object({
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
    t.strictSame(readEnvironment(schema, env), { SECRET: '  of a file ü' }, JSON.stringify(end));
  }
});

t.test('an empty variable counts as unset, both for the secret and for the file name', async (t) => {
  const path = fileOf('of a file');
  t.strictSame(readEnvironment(schema, { SECRET: '', SECRET_FILE: path, KEY_FILE: '' }), {
    SECRET: 'of a file',
  });
  t.strictSame(readEnvironment(schema, { SECRET: 'of the variable', SECRET_FILE: '' }), {
    SECRET: 'of the variable',
  });
});

t.test('a secret in both variables is rejected, equal or not', async (t) => {
  for (const SECRET of ['of a file', 'another one']) {
    const env = { SECRET, SECRET_FILE: fileOf('of a file') };
    t.strictSame(
      configurationLines(() => readEnvironment(schema, env)),
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
      configurationLines(() => readEnvironment(schema, { SECRET_FILE: path })),
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
      configurationLines(() => readEnvironment(schema, { SECRET_FILE: path })),
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
      configurationLines(() => readEnvironment(schema, { SECRET_FILE: path })),
      [/\(permission denied\)$/],
    );
  },
);

t.test("a file's content is checked like the variable, and never shown", async (t) => {
  t.strictSame(
    configurationLines(() => readEnvironment(schema, { SECRET_FILE: fileOf('hunter2') })),
    ['SECRET must be a text of at least 8 characters'],
  );
});

t.test('only secrets are read from files', async (t) => {
  const env = { SECRET: 'long enough', NAME_FILE: fileOf('a name') };
  t.strictSame(readEnvironment(schema, env), { SECRET: 'long enough' });
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
