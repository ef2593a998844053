// The users command as run by an operator.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type CommandResult, callCommand, spawnCommand } from '@tollgate/test-support/command.js';
import { namespacesMissing, nodeInNamespace } from '@tollgate/test-support/pid-namespace.js';
import { mountSmallDisk } from '@tollgate/test-support/small-disk.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { runUsers } from '../../src/cli/users.js';
import { openEmbeddedDirectory } from '../../src/directory/embedded-directory.js';
import { verifyPassword } from '../../src/passwords/password-hash.js';
import { startRunningService } from '../support/session-process.js';

const COMMAND = fileURLToPath(new URL('../../src/cli/users.js', import.meta.url));
const PASSWORD = 'right password';

/** Runs the command with the folder's data; standard input is piped in. */
async function users(
  dataDir: string,
  args: string[],
  typed = '',
  env: NodeJS.ProcessEnv = {},
): Promise<CommandResult> {
  const input = Readable.from([Buffer.from(typed)]) as NodeJS.ReadStream;
  return callCommand(() => runUsers(args, { DATA_DIR: dataDir, ...env }, { input, prompts: process.stderr }));
}

async function passwordMatches(t: Test, dataDir: string, email: string, password: string): Promise<boolean> {
  const directory = openEmbeddedDirectory(join(dataDir, 'users.db'));
  try {
    const user = await directory.findByEmail(email);
    return user !== undefined && (await verifyPassword(user.hash, password));
  } finally {
    await directory.close();
    t.pass('the directory was read');
  }
}

t.test('users are added, listed, disabled and enabled', async (t) => {
  const dir = join(tempDir(t), 'data');
  t.strictSame(await spawnCommand(COMMAND, ['add', 'Ada@Example.com'], { DATA_DIR: dir }, 'pass word\n'), {
    code: 0,
    out: 'added Ada@Example.com as user 1\n',
    error: '',
  });
  t.ok(await passwordMatches(t, dir, 'ada@example.com', 'pass word'));
  await users(dir, ['add', 'bob@example.com'], 'password');
  t.match(await users(dir, ['disable', 'ADA@example.com']), { code: 0, out: 'disabled Ada@Example.com\n' });
  t.match(await users(dir, ['list']), {
    out: '1\tAda@Example.com\tdisabled\n2\tbob@example.com\tenabled\n',
  });
  t.match(await users(dir, ['enable', 'ada@example.com']), { code: 0, out: 'enabled Ada@Example.com\n' });
});

t.test("a byte order mark from the shell's pipe is not part of the password", async (t) => {
  const dir = join(tempDir(t), 'data');
  t.match(await users(dir, ['add', 'ada@example.com'], '\ufeffpass word\r\n'), { code: 0 });
  t.ok(await passwordMatches(t, dir, 'ada@example.com', 'pass word'));
  t.match(await users(dir, ['password', 'ada@example.com'], '\ufeffpasse\u0301 word\n'), { code: 0 });
  t.ok(
    await passwordMatches(t, dir, 'ada@example.com', 'pass\u00e9 word'),
    'and is hashed in its prepared form',
  );
  t.match(await users(dir, ['add', 'bob@example.com'], '\ufeff1234567'), {
    code: 1,
    error: /at least 8 characters/,
  });
});

t.test('every action rejects an address with control characters', async (t) => {
  const dir = join(tempDir(t), 'data');
  await users(dir, ['add', 'dave@example.com'], 'password');
  const odd = [
    'dave@example.com\0x',
    'dave@example.com\u0007',
    'dave@example.com\n',
    '\u0085dave@example.com',
  ];
  for (const email of odd) {
    for (const action of ['add', 'password', 'disable', 'delete'])
      t.match(await users(dir, [action, email], 'password'), { code: 1, error: /not an e-mail address/ });
    t.match(await users(dir, ['rename', 'dave@example.com', email]), { code: 1 });
    const file = join(dir, 'users.jsonl');
    writeFileSync(file, JSON.stringify({ email, hash: '' }));
    t.match(await users(dir, ['import', file]), {
      code: 1,
      error: /users\.jsonl:1: email is not an e-mail address/,
    });
  }
  t.match(await users(dir, ['list']), { out: '1\tdave@example.com\tenabled\n' });
});

t.test('a password is reset by its own command and by --replace', async (t) => {
  const dir = tempDir(t);
  await users(dir, ['add', 'ada@example.com', '--replace'], 'password 1\n');
  t.ok(await passwordMatches(t, dir, 'ada@example.com', 'password 1'), '--replace adds, too');
  t.match(await users(dir, ['add', '--replace', 'ada@example.com'], 'password 2\r\n'), { code: 0 });
  t.ok(await passwordMatches(t, dir, 'ada@example.com', 'password 2'));
  t.match(await users(dir, ['password', 'ada@example.com'], 'password 3\n'), {
    code: 0,
    out: 'set the password of ada@example.com\n',
  });
  t.ok(await passwordMatches(t, dir, 'ada@example.com', 'password 3'));
});

t.test('only adding a user creates a missing directory', async (t) => {
  const dir = join(tempDir(t), 'data');
  for (const args of [
    ['list'],
    ...['password', 'disable', 'enable'].map((name) => [name, 'ada@example.com']),
  ]) {
    t.strictSame(await users(dir, args, 'password'), {
      code: 1,
      out: '',
      error: `users: there is no ${join(dir, 'users.db')}: set DATA_DIR or USERS_URL, or add the first user\n`,
    });
  }
  t.notOk(existsSync(dir));
  t.match(await users(dir, ['add', 'ada@example.com', '--replace'], 'password'), { code: 0 });
  t.match(await users(dir, ['list']), { code: 0, out: '1\tada@example.com\tenabled\n' });
});

t.test('--help prints the usage, and a wrong option prints one short line above it', async (t) => {
  for (const args of [['--help'], ['-h'], ['add', '--help']]) {
    const { code, out, error } = await users(tempDir(t), args);
    t.strictSame({ code, error }, { code: 0, error: '' });
    t.match(out, /^usage: users add EMAIL/);
  }
  const { code, out, error } = await users(tempDir(t), ['add', '--force', 'ada@example.com']);
  t.strictSame({ code, out }, { code: 2, out: '' });
  t.match(error, /^users: Unknown option '--force'\nusage: users add EMAIL/);
});

t.test('an impossible action is reported in one line', async (t) => {
  const dir = tempDir(t);
  await users(dir, ['add', 'ada@example.com'], 'password');
  await users(dir, ['add', 'old@example.com', '--id', 'ada|1'], 'password');
  await users(dir, ['delete', 'old@example.com']);
  const cases: [string[], string, string][] = [
    [['add', 'ada@example.com'], 'password', 'ada@example.com is taken; --replace sets its password'],
    [
      ['add', 'eve@example.com', '--id', 'ada|1'],
      '',
      'the id ada|1 is taken, by a user or by one who was deleted',
    ],
    [['add', 'ada'], 'password', 'not an e-mail address'],
    [['add', `${'a'.repeat(250)}@x.org`], 'password', 'not an e-mail address'],
    [['add', 'eve@example.com'], '', 'no password was given'],
    [['add', 'eve@example.com'], '7 chars\n', 'the password needs at least 8 characters'],
    [['add', 'eve@example.com'], '😀'.repeat(7), 'the password needs at least 8 characters'],
    [['add', 'eve@example.com'], 'é'.repeat(513), 'the password is longer than 1024 bytes'],
    [['password', 'eve@example.com'], 'password', 'there is no user eve@example.com'],
    [['disable', 'eve@example.com'], '', 'there is no user eve@example.com'],
  ];
  for (const [args, typed, message] of cases) {
    t.strictSame(await users(dir, args, typed), { code: 1, out: '', error: `users: ${message}\n` });
  }
  t.match(await users(dir, ['list']), { out: '1\tada@example.com\tenabled\n' });
  t.match(await users(dir, ['add', 'é@example.com'], 'é'.repeat(512)), { code: 0 });
});

t.test('USERS_URL names the file, and other kinds of directory are rejected', async (t) => {
  const dir = tempDir(t);
  const file = { USERS_URL: `file:${join(dir, 'elsewhere.db')}` };
  await users('/dev/null', ['add', 'ada@example.com'], 'password', file);
  t.match(await users('/dev/null', ['list'], '', file), { code: 0, out: '1\tada@example.com\tenabled\n' });
  t.match(
    await users(dir, ['list'], '', { USERS_URL: '' }),
    { code: 1, error: `users: there is no ${join(dir, 'users.db')}` },
    'empty is unset',
  );
  const lines = {
    'postgres://u:secret@h/d': 'USERS_URL is postgres: its users are managed there, not by this command',
    'module:./driver.js': 'USERS_URL is module: its users are managed there, not by this command',
    'mysql://u:secret@h/d':
      'USERS_URL must be file:PATH, postgres://USER:PASSWORD@HOST/DATABASE or module:PATH',
  };
  for (const [USERS_URL, line] of Object.entries(lines)) {
    for (const args of [['list'], ['add', 'ada@example.com'], ['disable', 'ada@example.com']]) {
      t.strictSame(await users(dir, args, '', { USERS_URL }), {
        code: 1,
        out: '',
        error: `users: ${line}\n`,
      });
    }
  }
  t.match(await users('/dev/null/x', ['add', 'ada@example.com'], 'password'), {
    code: 1,
    error: /^users: the directory .* cannot be opened: [^\n]+\n$/,
  });
});

t.test('users are copied while the file is in use, and the copy replaces a lost file', async (t) => {
  const dir = tempDir(t);
  await users(dir, ['add', 'ada@example.com'], 'password');
  const inUse = openEmbeddedDirectory(join(dir, 'users.db'));
  const copy = join(dir, 'backups', 'copy');
  t.strictSame(await users(dir, ['backup', copy]), {
    code: 0,
    out: `copied 1 user to ${copy}\n`,
    error: '',
  });
  t.equal(statSync(copy).mode & 0o777, 0o600);
  t.match(await users(dir, ['backup', copy]), { code: 1, error: `users: ${copy} exists already\n` });
  t.match(await users(dir, ['backup', join(copy, 'below')]), { code: 1, error: /^users: \/.*\n$/ });
  await inUse.add('bob@example.com', 'hash');
  await inUse.close();

  for (const name of readdirSync(dir)) if (name.startsWith('users')) rmSync(join(dir, name));
  copyFileSync(copy, join(dir, 'users.db'));
  t.ok(await passwordMatches(t, dir, 'ada@example.com', 'password'));
  t.match(await users(dir, ['list']), { code: 0, out: '1\tada@example.com\tenabled\n' });
});

t.test('an invalid command line prints the usage', async (t) => {
  const dir = tempDir(t);
  const wrong = [
    ...[[], ['add'], ['list', 'x'], ['add', 'a@x.org', 'b@x.org'], ['password', 'a@x.org', '--replace']],
    ...[
      ['replace', 'a@x.org'],
      ['add', 'a@x.org', '--replace', '--id', 'a'],
      ['add', 'a@x.org', '--id', '7'],
      ['add', 'a@x.org', '--id', 'a:b'],
      ['password', 'a@x.org', '--id', 'a'],
      ['remove', 'a@x.org'],
      ['list', '--all'],
      ['constructor', 'a@x.org'],
      ['backup'],
      ['backup', 'a', 'b'],
    ],
  ];
  for (const args of wrong) {
    t.match(await users(dir, args), { code: 2, out: '', error: 'usage: users add EMAIL [--replace]' });
  }
});

t.test('on a terminal the password prompt appears twice and does not echo', async (t) => {
  const dir = tempDir(t);
  const onTerminal = async (args: string[], answers: string[]): Promise<{ code: number; shown: string }> => {
    const line = [process.execPath, COMMAND, ...args].map((part) => `'${part}'`).join(' ');
    const child = spawn('script', ['-qec', line, '/dev/null'], {
      env: { PATH: process.env.PATH, DATA_DIR: dir, TERM: 'xterm' },
    });
    let shown = '';
    let asked = 0;
    child.stdout.on('data', (chunk) => {
      shown += chunk;
      while (asked < [...shown.matchAll(/(?:Password|Again): /g)].length)
        child.stdin.write(answers[asked++] ?? '');
    });
    child.stdin.on('error', () => {});
    const [code] = await once(child, 'close');
    return { code, shown: shown.replaceAll(/\r+\n/g, '\n') };
  };

  t.strictSame(await onTerminal(['add', 'ada@example.com'], ['secret wort\x7fd\r', 'secret word\r']), {
    code: 0,
    shown: 'Password: \nAgain: \nadded ada@example.com as user 1\n',
  });
  t.ok(await passwordMatches(t, dir, 'ada@example.com', 'secret word'));
  t.strictSame(await onTerminal(['password', 'ada@example.com'], ['secret word\r', 'other word\r']), {
    code: 1,
    shown: 'Password: \nAgain: \nusers: the two passwords differ\n',
  });
  t.strictSame(await onTerminal(['password', 'ada@example.com'], ['secret\x03']), {
    code: 1,
    shown: 'Password: \nusers: no password was given\n',
  });
});

const disk = mountSmallDisk(t, 1);
const skip = disk === undefined && 'SKIPPED: this user may not mount a file system';

t.test(
  'a full disk left a part of the users, which the next attempt did not replace',
  { skip },
  async (t) => {
    if (disk === undefined) return;
    const dir = join(tempDir(t), 'data');
    t.match(await users(dir, ['add', 'ada@example.com'], 'pass word'), { code: 0 });
    disk.fill();
    for (const command of ['backup', 'export']) {
      const target = join(disk.folder, 'below', command);
      const { code, error } = await users(dir, [command, target]);
      t.equal(code, 1);
      t.match(error, /^users: \/[^\n]*\n$/);
      t.notOk(existsSync(target), command);
    }
    disk.free();
    for (const command of ['backup', 'export']) {
      t.match(await users(dir, [command, join(disk.folder, 'below', command)]), { code: 0 });
    }
  },
);

t.test('exported users are identical in another installation', async (t) => {
  const [here, there] = [join(tempDir(t), 'data'), join(tempDir(t), 'data')];
  const uuid = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
  for (const args of [
    ['add', 'Ada@Example.com'],
    ['add', 'gone@example.com'],
    ['add', 'ann@example.com', '--id', uuid],
    ['add', 'bob@example.com'],
    ['disable', 'bob@example.com'],
    ['claims', 'ada@example.com', '{"roles":["editor"]}'],
    ['delete', 'gone@example.com'],
  ]) {
    t.match(await users(here, args, 'pass word'), { code: 0 });
  }
  const file = join(tempDir(t), 'users.jsonl');
  t.match(await users(here, ['export', file]), { code: 0, out: 'exported 3 users\n' });
  t.equal(statSync(file).mode & 0o777, 0o600, 'the file has hashes');
  t.match(await users(here, ['export', file]), { code: 1, error: /exists already/ }, 'it is not replaced');

  t.match(await users(there, ['import', file]), { code: 0, out: 'added 3 users\n' });
  const [before, after] = [
    openEmbeddedDirectory(join(here, 'users.db')),
    openEmbeddedDirectory(join(there, 'users.db')),
  ];
  t.teardown(() => Promise.all([before.close(), after.close()]));
  const byAddress = (list: readonly { email: string }[]) =>
    list.toSorted((one, other) => (one.email < other.email ? -1 : 1));
  t.strictSame(byAddress(await after.list()), byAddress(await before.list()));
  t.ok(await passwordMatches(t, there, 'ada@example.com', 'pass word'));
  t.match(await users(there, ['import', file]), { code: 1, error: /users\.jsonl:1: the address is taken/ });
  writeFileSync(
    file,
    '{"id":4,"email":"eve@example.com","hash":""}\n{"id":0,"email":"x@example.com","hash":""}\n',
  );
  t.match(await users(there, ['import', file]), {
    error: /:1: the id is taken\n.*:2: id is not a whole number/s,
  });
  t.match(await users(there, ['add', 'eve@example.com'], 'pass word'), { out: /as user 6\n/ });
});

// In a second container, beside the running service: `docker compose run … users.js add`.

async function usersInNamespace(
  folder: string,
  args: readonly string[],
): Promise<{ code: number; out: string }> {
  const { execPath, execArgv } = nodeInNamespace;
  const child = spawn(execPath, [...execArgv, COMMAND, ...args], {
    env: { PATH: process.env.PATH, DATA_DIR: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stdin.end(`${PASSWORD}\n`);
  const [code] = await once(child, 'close');
  return { code, out };
}

t.test(
  'an account could not be added from a second container while the service ran in the first',
  { skip: namespacesMissing() },
  async (t) => {
    const folder = tempDir(t);
    const { publicUrl } = await startRunningService(t, { DATA_DIR: folder }, nodeInNamespace);
    const logIn = async (email: string) => {
      const answer = await fetch(`${publicUrl}/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'http://localhost:8080' },
        body: JSON.stringify({ email, password: PASSWORD }),
      });
      return answer.status;
    };
    t.equal(await logIn('ada@example.com'), 422);
    const emails = ['ada@example.com', 'bob@example.com', 'eve@example.com'];
    const added = await Promise.all(emails.map((email) => usersInNamespace(folder, ['add', email])));
    t.strictSame(
      added.map(({ code }) => code),
      [0, 0, 0],
    );
    for (const email of emails) t.equal(await logIn(email), 200);
    t.match(await usersInNamespace(folder, ['disable', 'bob@example.com']), { code: 0 });
    t.equal(await logIn('bob@example.com'), 422);
    const copy = join(folder, 'copy');
    t.strictSame(await usersInNamespace(folder, ['backup', copy]), {
      code: 0,
      out: `copied 3 users to ${copy}\n`,
    });
  },
);
