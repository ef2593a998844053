// Installs, builds and starts an example application as its reader does.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import type { Test } from 'tap';
import { packInto, published } from '../packages/outside-project.js';

const run = promisify(execFile);

/** Builds of a test report nothing to the makers of a framework. */
const noTelemetry = {
  NEXT_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
};

export interface Message {
  readonly email: string;
  readonly text: string;
}

/** A running application. */
export interface Application {
  readonly port: number;
  /** The messages that it has delivered, oldest first. */
  readonly delivered: readonly Message[];
}

export interface InstalledExample {
  readonly folder: string;
  /** Commands find the programs of the example, and the Node that it needs. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly scripts: Readonly<Record<string, string>>;
}

/** Copies an example out of the project, and installs what its lock file says. */
export async function installExample(t: Test, name: string): Promise<InstalledExample> {
  const folder = tempDir(t);
  cpSync(join(projectRoot, 'docs', 'examples', name), folder, { recursive: true });
  const { scripts, dependencies, engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const own = ['client', 'session', 'verify'].filter((each) => `@tollgate/${each}` in dependencies);
  packInto(
    folder,
    own.map((each) => published[`tollgate-${each}` as keyof typeof published]),
  );
  const flags = [
    '--include=dev',
    '--include=optional',
    '--ignore-scripts',
    '--prefer-offline',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  await npm(folder, `packages of docs/examples/${name}`, 'ci', ...flags);
  const paths = [
    join(folder, 'node_modules', '.bin'),
    dirname(await findNode(engines.node)),
    process.env.PATH,
  ];
  return {
    folder,
    scripts,
    environment: { ...process.env, ...noTelemetry, NODE_ENV: 'production', PATH: paths.join(delimiter) },
  };
}

/** Runs npm. @throws Error with one line if it fails */
async function npm(cwd: string, what: string, ...args: string[]): Promise<string> {
  try {
    return (await run('npm', args, { cwd, shell: process.platform === 'win32' })).stdout;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    const [reason = String(error)] = stderr.split('\n').filter((line) => line !== '');
    throw new Error(`The ${what} cannot be installed: ${reason}`);
  }
}

/** The program of a Node that is new enough for an example: this one, or one from npm. */
async function findNode(range: string): Promise<string> {
  const line = /^>=(\d+)/.exec(range)?.[1] ?? '';
  if (Number.parseInt(process.versions.node, 10) >= Number(line)) return process.execPath;
  const args = ['exec', '--yes', `--package=node@${line}`, '--loglevel=error', '--', 'node', '-p'];
  return (await npm(projectRoot, `Node ${line}`, ...args, 'process.execPath')).trim();
}

/** Runs the example's script `build`, if it has one. Resolves with the example. */
export async function buildExample(example: InstalledExample): Promise<InstalledExample> {
  const { folder, environment, scripts } = example;
  if (scripts.build === undefined) return example;
  const child = spawn(scripts.build, { cwd: folder, env: environment, shell: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${scripts.build} failed:\n${output}`);
  return example;
}

/** Starts the example with its script `start`. It ends with the test. */
export async function startExample(
  t: Test,
  { folder, environment, scripts }: InstalledExample,
  variables: Readonly<Record<string, string>>,
): Promise<Application> {
  const port = await freePort();
  const env = { ...environment, ...variables, PORT: String(port), HOST: '127.0.0.1' };
  const isWindows = process.platform === 'win32';
  // The shell's group is that of the application too.
  const child = spawn(scripts.start ?? '', { cwd: folder, env, shell: true, detached: !isWindows });
  return watch(t, child, port, () => process.kill(-(child.pid ?? 0), 'SIGKILL'));
}

/** Waits until an application responds, and reads its output. */
export async function watch(
  t: Test,
  child: ChildProcess,
  port: number,
  kill: () => unknown = () => child.kill('SIGKILL'),
): Promise<Application> {
  const closed = once(child, 'close');
  t.teardown(async () => {
    if (child.exitCode === null) kill();
    await closed;
  });
  const delivered: Message[] = [];
  let errors = '';
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      const [, message] = /Delivered (\{.*\})$/.exec(line) ?? [];
      if (message !== undefined) delivered.push(JSON.parse(message));
      else errors += `${line}\n`;
    });
  }
  while (child.exitCode === null) {
    const isUp = await fetch(`http://127.0.0.1:${port}/contact`).then(
      () => true,
      () => false,
    );
    if (isUp) return { port, delivered };
    await pause(50);
  }
  throw new Error(`the application has ended:\n${errors}`);
}
