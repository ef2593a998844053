// What a drill owns on this machine: a folder, ports, processes; and what is left of them when everything is closed.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import { findLeftovers, type Owned, ownResources } from './leftovers.js';

/** The place of one run of a drill. */
export interface Lab {
  /** Absolute path of a folder that is removed at the end. */
  readonly folder: string;
  /** What every process of the drill is given: `PATH`, a folder for temporary files, the mark of the drill. */
  readonly environment: Environment;
  /** A port that nothing listens on, below those of outgoing connections. */
  freePort(): Promise<number>;
  /** Registers what closes something that was opened; the last one is called first. */
  onClose(close: () => unknown): void;
  /** Something that a process did by itself: it breaks the drill. */
  noteAccident(line: string): void;
  readonly accidents: readonly string[];
  /** Closes everything. @returns a line for each process, socket and file that is left */
  close(): Promise<string[]>;
}

/** What a drill starts for the services to stand on. */
export interface Topology {
  /** The variables that name it: `STORE_URL`, `USERS_URL` … */
  readonly environment: Environment;
  /** E-mail addresses of its accounts, if they are not those of the static directory. */
  readonly people?: readonly string[];
  /** Program and arguments that each service is started with. */
  readonly under?: readonly string[];
}

/** The variable by which the processes of a drill are found. */
const MARK = 'TOLLGATE_DRILL';

/** @param environment that of the command, of which `PATH` and `CADDY`, the path of that program, are used */
export function openLab(environment: Environment): Lab {
  const resources = ownResources();
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-drill-'));
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const mark = randomBytes(8).toString('hex');
  const ports: number[] = [];
  const used: number[] = [];
  const closers: (() => unknown)[] = [];
  const accidents: string[] = [];
  const owned: Owned = { mark: `${MARK}=${mark}`, ports: used, temporary, resources };
  return {
    folder,
    environment: { PATH: environment.PATH, CADDY: environment.CADDY, TMPDIR: temporary, [MARK]: mark },
    async freePort() {
      if (ports.length === 0) ports.push(...Object.values(await settlePorts(ANY_PORTS)));
      const port = ports.shift() as number;
      used.push(port);
      return port;
    },
    onClose: (close) => void closers.unshift(close),
    accidents,
    noteAccident: (line) => void accidents.push(line),
    async close() {
      const failures: string[] = [];
      for (const close of closers.splice(0)) {
        try {
          await close();
        } catch (error) {
          failures.push(`closing failed: ${(error as Error).message}`);
        }
      }
      const leftovers = await findLeftovers(owned);
      rmSync(folder, { recursive: true, force: true });
      return [...failures, ...leftovers];
    },
  };
}
