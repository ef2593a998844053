// Our functions that run in this process during a task, by V8's precise coverage.
import { type Profiler, Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The executed functions, by source file below the project's folder; a function is its name and position in the file. */
export type Path = ReadonlyMap<string, ReadonlySet<string>>;

interface Coverage {
  /** Returns the functions executed during `work`, in the services and their shared code. */
  during(work: () => Promise<unknown>): Promise<Path>;
  close(): Promise<void>;
}

/** Opens the coverage of this process, which slows it down until it is closed. */
export async function openCoverage(): Promise<Coverage> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const take = async () => (await session.post('Profiler.takePreciseCoverage')).result;
  return {
    async during(work) {
      await take();
      await work();
      return pathOf(await take());
    },
    async close() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}

/** Returns the intersection of all paths: without tasks that ran at the same time. */
export function commonPath([first = new Map(), ...others]: readonly Path[]): Path {
  const common = new Map<string, Set<string>>();
  for (const [file, functions] of first) {
    const kept = [...functions].filter((name) => others.every((other) => other.get(file)?.has(name)));
    if (kept.length > 0) common.set(file, new Set(kept));
  }
  return common;
}

function pathOf(scripts: readonly Profiler.ScriptCoverage[]): Path {
  const path = new Map<string, Set<string>>();
  for (const { url, functions } of scripts) {
    const file = sourceFile(url);
    if (file === undefined) continue;
    const ran = functions.filter(({ ranges }) => ranges[0]!.count > 0);
    if (ran.length === 0) continue;
    path.set(file, new Set(ran.map((each) => `${each.functionName}@${each.ranges[0]!.startOffset}`)));
  }
  return path;
}

/** Returns the source of a compiled module, of which the compiler makes one for each file; undefined if it is not ours. */
function sourceFile(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const path = relative(ROOT, fileURLToPath(url));
  const found = /^((?:shared|services\/[^/]+)\/)dist\/(src\/.+)\.js$/.exec(path);
  return found === null ? undefined : `${found[1]}${found[2]}.ts`;
}
