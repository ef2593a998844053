// Doctor beside `npm start`, with the documented command: it reported a nonexistent problem.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t from 'tap';
import { readProjectFile } from '../docs/project-file.js';
import { launch } from '../launcher/launch.js';

/** The command as documented. */
const COMMAND = 'npm run -s doctor -- --email demo@example.com';

async function shell(command: string, env: Readonly<Record<string, string>>, input: string) {
  const child = spawn('sh', ['-c', command], {
    cwd: projectRoot,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, out };
}

t.test('beside a healthy start the documented command finds no problem and ends with 0', async (t) => {
  t.ok(readProjectFile('docs/operations/doctor.md').includes(`\n${COMMAND} `), 'the manual has the command');
  const folder = tempDir(t);
  const launcher = launch(t, { PATH: process.env.PATH, DATA_DIR: folder });
  const address = await launcher.address;
  const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'));
  const running = join(folder, 'running.json');
  t.equal(statSync(running).mode & 0o777, 0o600);
  for (const secret of Object.values(secrets)) {
    t.notOk(readFileSync(running, 'utf8').includes(String(secret)), 'no secret is in it');
  }

  const password = `${secrets.DEMO_PASSWORD}\n`;
  const found = await shell(COMMAND, { DATA_DIR: folder }, password);
  t.match(found.out, /^0 problems, 0 warnings, \d+ good\n$/m);
  t.match(found.out, 'session-service is ready', 'it examined from inside');
  t.match(found.out, 'challenge-service is ready');
  t.notMatch(found.out, /^skipped {2}Secrets/m);
  t.equal(found.code, 0, found.out);

  const other = await shell(`npm run -s doctor -- ${address}/elsewhere`, { DATA_DIR: folder }, '');
  t.match(other.out, /^skipped {2}Secrets/m, 'another address is examined from outside');

  launcher.child.kill('SIGTERM');
  await launcher.ended;
  t.notOk(existsSync(running));
  const stopped = await shell('npm run -s doctor', { DATA_DIR: folder }, '');
  t.equal(stopped.code, 2, 'nothing is running, and no address is given');
});
