// The sources of mutants, and the file that runs for each.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** A source file, below the project's folder. */
export interface Source {
  /** Its row in the summary. */
  readonly room: string;
  readonly file: string;
  /** The file to change: the compiled one, or the source itself. */
  readonly runs: string;
}

const FOLDERS: readonly (readonly [room: string, folder: string])[] = [
  ['shared', 'shared/src'],
  ['session-service', 'services/session-service/src'],
  ['challenge-service', 'services/challenge-service/src'],
  ['gate', 'services/challenge-service/extensions/gate'],
  ['drop-in', 'services/challenge-service/extensions/drop-in'],
  ['fastify', 'packages/fastify/src'],
  ['client', 'packages/client/src'],
  ['verify', 'packages/verify/src'],
  ['session', 'packages/session/src'],
  ['Lua', 'shared/lua'],
  ['Lua', 'services/session-service/lua'],
  ['gateways', 'deploy/gateway'],
];

export const ROOMS: readonly string[] = [...new Set(FOLDERS.map(([room]) => room))];

/** Returns all of them: modules, store scripts, gateway configurations. */
export function findSources(): Source[] {
  return FOLDERS.flatMap(([room, folder]) =>
    filesIn(folder)
      .filter((file) => /\.(tsx?|lua|conf|cfg)$|Caddyfile$/.test(file) && !/\.d\.ts$|\/test\//.test(file))
      .map((file) => ({ room, file, runs: runningFile(file) })),
  );
}

/** Returns the compiled module of a TypeScript file, and any other file itself. */
function runningFile(file: string): string {
  return /\.tsx?$/.test(file)
    ? file.replace(/\/(src|extensions)\//, '/dist/$1/').replace(/\.tsx?$/, '.js')
    : file;
}

/** Returns the files in a folder and below it; none if it does not exist. */
export function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
      .sort();
  } catch {
    return [];
  }
}
