// A third-party server, such as Redis, as a process of a drill: started, killed, frozen, and restarted.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '@tollgate/tools/launcher/local-environment.js';
import type { Lab } from './lab.js';

/** Start options of a server. */
interface ServerCommand {
  /** For messages. */
  readonly name: string;
  /** Absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  /** Variables in addition to those of the lab. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  /** The output line that reports readiness; or a check, repeated until it returns true. */
  readonly ready: RegExp | (() => Promise<boolean>);
}

/** A server that can stop and restart. */
export interface ServerProcess {
  readonly pid: number | undefined;
  /** Starts it again with the same options; resolves when it serves. */
  start(): Promise<void>;
  /** Stops it and waits for its exit. @param signal `SIGKILL` by default */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Freezes it: connections stay open without replies until `thaw`. */
  freeze(): void;
  thaw(): void;
}

const LONGEST_START_MS = 20_000;
const PAUSE_MS = 20;

/** Starts a server, which ends with the lab. @throws Error with the end of its output if it does not serve in time */
export async function launchServer(lab: Lab, command: ServerCommand): Promise<ServerProcess> {
  let child: ChildProcess | undefined;
  const server: ServerProcess = {
    get pid() {
      return child?.pid;
    },
    async start() {
      if (child === undefined || hasEnded(child)) child = await launch(lab, command);
    },
    async stop(signal = 'SIGKILL') {
      if (child === undefined || hasEnded(child)) return;
      const exited = once(child, 'exit');
      child.kill('SIGCONT');
      child.kill(signal);
      await exited;
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  };
  lab.onClose(() => server.stop());
  await server.start();
  return server;
}

/**
 * The path of the first existing program: named by a variable, on the PATH, or in further folders.
 * @throws StartError naming them if there is none
 */
export function findProgram(lab: Lab, names: readonly string[], furtherFolders: readonly string[] = []) {
  const folders = [...(lab.environment.PATH ?? '').split(delimiter), '/usr/sbin', ...furtherFolders];
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = paths.find((path) => existsSync(path));
  if (found === undefined) throw new MissingProgramError(`requires ${names.join(' or ')} on the PATH`);
  return found;
}

/** A program required by a drill is not installed. */
export class MissingProgramError extends StartError {}

async function launch(lab: Lab, command: ServerCommand): Promise<ChildProcess> {
  const { program, args, environment, cwd, uid, gid, ready } = command;
  const child = spawn(program, args, {
    env: { ...lab.environment, ...environment },
    cwd: cwd ?? lab.folder,
    ...(uid !== undefined && { uid, gid }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const lines: string[] = [];
  let isReady = false;
  for (const input of [child.stdout, child.stderr]) {
    // The lines are read to the end, or a full pipe would stop the server.
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      if (ready instanceof RegExp && ready.test(line)) isReady = true;
    });
  }
  await once(child, 'spawn');
  const deadlineMs = performance.now() + LONGEST_START_MS;
  while (!isReady && !(typeof ready === 'function' && (await ready()))) {
    if (hasEnded(child) || performance.now() > deadlineMs) {
      kill();
      throw new Error(`${command.name} does not start: ${lines.slice(-5).join(' | ')}`);
    }
    await sleep(PAUSE_MS);
  }
  return child;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
