// Caddy and nginx as processes of a test, on the example files of deploy/gateway.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tempDir } from '@tollgate/shared/test/temp-dir.js';
import type { Test } from 'tap';
import { projectRoot } from '../../src/launcher/local-environment.js';

/** The text of a file of deploy/gateway. */
export function readExample(name: string): string {
  return readFileSync(join(projectRoot, 'deploy', 'gateway', name), 'utf8');
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server without a port');
  probe.close();
  await once(probe, 'close');
  return address.port;
}

/**
 * Runs Caddy on a configuration, with everything that it keeps in a folder of its own.
 * @param port where it listens when it is there
 * @returns the folder
 */
export async function runCaddy(
  t: Pick<Test, 'teardown'>,
  configuration: string,
  variables: Readonly<Record<string, string>>,
  port: number,
): Promise<string> {
  const folder = tempDir(t);
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, configuration);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    ...variables,
  };
  const program = process.env.CADDY || 'caddy';
  const child = spawn(program, ['run', '--config', file, '--adapter', 'caddyfile'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await listening(t, child, port);
  return folder;
}

/** Runs nginx with one file of its folder conf.d. @param port where it listens when it is there */
export async function runNginx(
  t: Pick<Test, 'teardown'>,
  configuration: string,
  port: number,
): Promise<void> {
  const folder = tempDir(t);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr warn;
events {}
http { access_log off; ${temporary.join(' ')}
${configuration}}`,
  );
  const program = process.env.NGINX || '/usr/sbin/nginx';
  const child = spawn(program, ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  await listening(t, child, port);
}

async function listening(t: Pick<Test, 'teardown'>, child: ChildProcess, port: number): Promise<void> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const gone = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await gone;
  });
  while (!(await isOpen(port))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it did not start: ${said}`);
    await sleep(20);
  }
}

async function isOpen(port: number): Promise<boolean> {
  try {
    // Whatever is answered, also to plain http where https is meant, shows that somebody listens.
    await fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' });
    return true;
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    return code !== 'ECONNREFUSED';
  }
}
