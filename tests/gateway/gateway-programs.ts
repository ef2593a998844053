// Caddy, nginx and HAProxy as processes of a test, on the example files of deploy/gateway.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import type { Test } from 'tap';

/** The text of a file of deploy/gateway. */
export function readExample(name: string): string {
  return readFileSync(join(projectRoot, 'deploy', 'gateway', name), 'utf8');
}

/** A production gateway, and the services behind it as `host:port`. */
interface Gateway {
  readonly port: number;
  readonly sessions: readonly string[];
  readonly challenges: readonly string[];
}

/** The program of a gateway, and the location of its access log. */
interface RunningGateway {
  readonly url: string;
  /** Its complete log so far. */
  log(): string;
}

/** Runs Caddy on the gateway's example file, over plain http. @param variables further ones of the file */
export async function runCaddyGateway(
  t: Pick<Test, 'teardown'>,
  { port, sessions, challenges }: Gateway,
  variables: Readonly<Record<string, string>> = {},
): Promise<RunningGateway> {
  const url = `http://localhost:${port}`;
  const upstreams = {
    SESSION_UPSTREAM: sessions.join(' '),
    CHALLENGE_UPSTREAM: challenges.join(' '),
    BUFFERING: caddyBuffering(),
  };
  const { log } = await runCaddy(
    t,
    readExample('Caddyfile'),
    { PUBLIC_URL: url, ...upstreams, ...variables },
    port,
  );
  return { url, log };
}

/** Runs nginx on the gateway's example file, over plain http. @param edit further edits by the operator */
export async function runNginxGateway(
  t: Pick<Test, 'teardown'>,
  { port, sessions, challenges }: Gateway,
  edit: (configuration: string) => string = (configuration) => configuration,
): Promise<RunningGateway> {
  const folder = tempDir(t);
  const servers = (upstreams: readonly string[]) => upstreams.map((each) => `server ${each}`).join(LIMITS);
  const LIMITS = ' max_fails=1 fail_timeout=2s;\n    ';
  const configuration = edit(readExample('gateway.nginx.conf'))
    .replace('server session-service:3001', servers(sessions))
    .replace('server challenge-service:3002', servers(challenges))
    .replace('listen 80;', `listen 127.0.0.1:${await freePort()};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace(/ssl_certificate.*;/g, '')
    .replaceAll('/var/log/nginx', folder);
  await runNginx(t, configuration, port);
  const logs = ['tollgate.log', 'tollgate-error.log'].map((name) => join(folder, name));
  return {
    url: `http://localhost:${port}`,
    log: () => logs.map((path) => readFileSync(path, 'utf8')).join(''),
  };
}

// Older versions have another name for it.
export function caddyBuffering(): string {
  const [minor = 0] = caddyVersion();
  return minor < 7 ? 'buffer_requests' : 'request_buffers unlimited';
}

/** The numbers of Caddy's version after `2.`. */
export function caddyVersion(): number[] {
  const version = execFileSync(process.env.CADDY || 'caddy', ['version'], { encoding: 'utf8' });
  const [, numbers = '0.0'] = /2\.(\d+\.\d+)/.exec(version) ?? [];
  return numbers.split('.').map(Number);
}

/**
 * Runs Caddy on a configuration, with its data in a private folder.
 * @param port its listening port
 */
export async function runCaddy(
  t: Pick<Test, 'teardown'>,
  configuration: string,
  variables: Readonly<Record<string, string>>,
  port: number,
): Promise<{ readonly folder: string; log(): string }> {
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
  const log = await listening(t, child, port);
  return { folder, log };
}

/** Runs nginx with one file in its conf.d folder. @param port its listening port @returns its error logs */
export async function runNginx(
  t: Pick<Test, 'teardown'>,
  configuration: string,
  port: number,
): Promise<{ log(): string }> {
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
${configuration.replaceAll('/var/log/nginx', folder)}}`,
  );
  const program = process.env.NGINX || '/usr/sbin/nginx';
  const child = spawn(program, ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const said = await listening(t, child, port);
  const errors = join(folder, 'error.log');
  return { log: () => said() + (existsSync(errors) ? readFileSync(errors, 'utf8') : '') };
}

/** The HAProxy program; empty if not installed. */
export const haproxy = process.env.HAPROXY ?? (existsSync('/usr/sbin/haproxy') ? '/usr/sbin/haproxy' : '');

/** Runs HAProxy on a configuration. @param port its listening port */
export async function runHaproxy(
  t: Pick<Test, 'teardown'>,
  configuration: string,
  port: number,
): Promise<void> {
  const file = join(tempDir(t), 'haproxy.cfg');
  writeFileSync(file, configuration);
  const child = spawn(haproxy, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  await listening(t, child, port);
}

/**
 * Waits until a program listens on a port; it is stopped with the test.
 * @returns reads the program's complete error output
 */
export async function listening(
  t: Pick<Test, 'teardown'>,
  child: ChildProcess,
  port: number,
): Promise<() => string> {
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
  return () => said;
}

async function isOpen(port: number): Promise<boolean> {
  try {
    // Any response, also to plain http in place of https, proves that the program listens.
    await fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' });
    return true;
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    return code !== 'ECONNREFUSED';
  }
}
