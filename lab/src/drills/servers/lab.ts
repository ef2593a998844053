// A drill's resources on this machine: a folder, ports, processes; and leftovers after closing everything.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import { findLeftovers, type Owned, ownResources } from './leftovers.js';

/** The resources of one drill run. */
export interface Lab {
  /** Absolute path of a folder that is removed at the end. */
  readonly folder: string;
  /** Variables of every process of the drill: `PATH`, a folder for temporary files, the mark of the drill. */
  readonly environment: Environment;
  /** A free port, below those of outgoing connections. */
  freePort(): Promise<number>;
  /** Registers a function that closes a resource; the last one is called first. */
  onClose(close: () => unknown): void;
  /** Unexpected behaviour of a process: it breaks the drill. */
  noteAccident(line: string): void;
  readonly accidents: readonly string[];
  /** Closes everything. @returns a line for each leftover process, socket and file */
  close(): Promise<string[]>;
}

/** A drill's stores. */
export interface Topology {
  /** The variables with their addresses: `STORE_URL`, `USERS_URL` … */
  readonly environment: Environment;
  /** E-mail addresses of its accounts, if they are not those of the static directory. */
  readonly people?: readonly string[];
  /** Program and arguments that start each service. */
  readonly under?: readonly string[];
}

/** The variable that identifies the processes of a drill. */
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
