// Other JavaScript runtimes: installed at first use, and run with a bundled program.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { rolldown } from 'rolldown';
import type { Test } from 'tap';

const run = promisify(execFile);
const installed = join(projectRoot, 'lab', 'runtimes');
/** The scenario of `@tollgate/verify`. */
const forms = join(import.meta.dirname, 'scenario.js');

/** Installs them, unless they are installed already. */
export async function installRuntimes(): Promise<void> {
  const flags = [
    '--include=dev',
    '--include=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  await run('npm', ['install', ...flags], { cwd: installed, shell: process.platform === 'win32' });
}

/** The program of this machine in the packages of a scope, of which npm installs those of this platform. */
function programOf(scope: string, file: string): string {
  const folder = join(installed, 'node_modules', scope);
  const programs = readdirSync(folder).map((name) => join(folder, name, file));
  const found = programs.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${scope} has no ${file}`);
  return found;
}

/** Bundles a program into one file. */
async function bundle(code: string, scenario: string, folder: string, name: string): Promise<string> {
  const entry = join(folder, `entry-of-${name}`);
  writeFileSync(entry, code.replace('SCENARIO', JSON.stringify(scenario)));
  const built = await rolldown({ input: entry, platform: 'neutral', external: /^node:/, tsconfig: false });
  const file = join(folder, name);
  await built.write({ file, format: 'es' });
  await built.close();
  return file;
}

const command = `import process from 'node:process';
import { play } from SCENARIO;
console.log(JSON.stringify(await play(JSON.parse(process.argv[2]))));`;

const worker = `import { play } from SCENARIO;
export default {
  async fetch(request) {
    return Response.json(await play(await request.json()));
  },
};`;

/**
 * Plays a scenario in a runtime, and returns the outcomes of its steps.
 * @param scenario compiled module that exports `play`; that of `@tollgate/verify` by default
 */
type Runtime = (t: Test, question: object, scenario?: string) => Promise<Readonly<Record<string, string>>>;

function commandLine(program: () => string, ...args: string[]): Runtime {
  return async (t, question, scenario = forms) => {
    const folder = tempDir(t);
    const file = await bundle(command, scenario, folder, 'program.mjs');
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      DENO_DIR: folder,
      DENO_NO_UPDATE_CHECK: '1',
      NO_COLOR: '1',
    };
    const { stdout } = await run(program(), [...args, file, JSON.stringify(question)], { cwd: folder, env });
    return JSON.parse(stdout);
  };
}

/**
 * Serves `worker.js` of a folder in workerd.
 * @param bindings variables of the worker
 * @returns the running program, and the port on which it will listen
 */
export async function startWorkerd(folder: string, bindings: Readonly<Record<string, string>> = {}) {
  const port = await freePort();
  const texts = Object.entries(bindings).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  );
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "2026-01-01",
      bindings = [${texts.join(', ')}],
    )),
    (name = "internet", network = (allow = ["local", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`,
  );
  const program = programOf('@cloudflare', 'bin/workerd');
  const child = spawn(program, ['serve', 'config.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, port };
}

const workerd: Runtime = async (t, question, scenario = forms) => {
  const folder = tempDir(t);
  await bundle(worker, scenario, folder, 'worker.js');
  const { child, port } = await startWorkerd(folder);
  child.stdout.resume();
  const closed = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const send = () => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(question) });
  for (;;) {
    // Only a connection fails while it starts: the scenario plays once.
    const response = await send().catch((error) => {
      if (child.exitCode !== null) throw error;
      return undefined;
    });
    if (response !== undefined) {
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return JSON.parse(text);
    }
    await pause(50);
  }
};

export const runtimes: Readonly<Record<string, Runtime>> = {
  Node: commandLine(() => process.execPath),
  Deno: commandLine(
    () => programOf('@deno', process.platform === 'win32' ? 'deno.exe' : 'deno'),
    'run',
    '--allow-net',
  ),
  Bun: commandLine(() => programOf('@oven', process.platform === 'win32' ? 'bin/bun.exe' : 'bin/bun'), 'run'),
  workerd,
};
