// The code that each test file runs, measured once per run, so that each mutant gets the tests that can detect it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTest } from './run-test.js';
import { filesIn, ROOT } from './sources.js';

/** Offsets of executed code, as pairs of start and end, ascending. */
type Ranges = readonly number[];

export interface CoveredTest {
  readonly test: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly busySeconds: number;
  /** By compiled file; empty for a browser test, of which only the duration is known. */
  readonly ran: Readonly<Record<string, Ranges>>;
}

const TOUCHED = 'shared/dist/src/store/open-store.js';
/** Most tests wait for servers half of their time. */
const AT_ONCE = 2;
/** Slower tests are never used. */
const LIMIT_SECONDS = 150;

/** Returns the compiled test files of packages, services and gateways. */
function findTests(): string[] {
  const folders = [
    'shared',
    'packages/fastify',
    'services/session-service',
    'services/challenge-service',
    'packages/client',
    'packages/verify',
    'packages/session',
  ];
  return [...folders.map((folder) => `${folder}/dist`), 'tests/dist/gateway']
    .flatMap(filesIn)
    .filter((file) => file.endsWith('.test.js'));
}

/** Whether a test runs outside V8's coverage: in a browser, or in a gateway. */
export function isOutside(test: string): boolean {
  return (
    /^tests\/dist\/gateway\//.test(test) || /\bchromium\.js'/.test(readFileSync(join(ROOT, test), 'utf8'))
  );
}

/** The tests, each measured at its first use. */
export interface Tests {
  /** All of them. */
  readonly names: readonly string[];
  of(test: string): Promise<CoveredTest>;
  /** All wanted tests whose code V8 covers. */
  covered(isWanted?: (test: string) => boolean): Promise<readonly CoveredTest[]>;
}

export function openTests(say: (line: string) => void): Tests {
  const names = findTests();
  const known = new Map<string, CoveredTest>();
  const of = async (test: string) => {
    if (!known.has(test)) {
      const measured = await measure(test);
      known.set(test, measured);
      const { passed, seconds, busySeconds } = measured;
      say(`${passed ? 'ok  ' : 'FAIL'} ${test} ${seconds.toFixed(1)} s, ${busySeconds.toFixed(1)} s busy`);
    }
    return known.get(test)!;
  };
  return {
    names,
    of,
    async covered(isWanted = () => true) {
      const inside = names.filter((name) => isWanted(name) && !isOutside(name));
      const left = [...inside];
      const work = async () => {
        for (let test = left.shift(); test !== undefined; test = left.shift()) await of(test);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return inside.map((test) => known.get(test)!);
    },
  };
}

/** Whether code at an offset of a compiled file was executed. */
export function ranAt({ ran }: CoveredTest, file: string, offset: number): boolean {
  const ranges = ran[file] ?? [];
  for (let at = 0; at < ranges.length; at += 2) {
    if (ranges[at]! <= offset && offset < ranges[at + 1]!) return true;
  }
  return false;
}

async function measure(test: string): Promise<CoveredTest> {
  const folder = mkdtempSync('/dev/shm/coverage-');
  const coverage = isOutside(test) ? undefined : folder;
  // Services then run their modules instead of the bundle, which is older.
  if (coverage !== undefined) utimesSync(join(ROOT, TOUCHED), new Date(), new Date());
  try {
    const { outcome, seconds, busySeconds } = await runTest(test, LIMIT_SECONDS, coverage);
    return { test, passed: outcome === 'passed', seconds, busySeconds, ran: readFolder(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface V8Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly V8Range[] }[];
}

interface V8Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

function readFolder(folder: string): Record<string, Ranges> {
  const ran: Record<string, Ranges> = {};
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: V8Script[] };
    for (const { url, functions } of result) {
      if (!url.startsWith('file:')) continue;
      const file = relative(ROOT, fileURLToPath(url));
      if (!/^(shared|packages\/[^/]+|services\/[^/]+)\/dist\/(src|extensions)\//.test(file)) continue;
      if (file.includes('/test/')) continue;
      const ranges = rangesThatRan(functions.flatMap((each) => each.ranges));
      ran[file] = ran[file] === undefined ? ranges : union(ran[file], ranges);
    }
  }
  return ran;
}

/** Of nested ranges the innermost counts. */
function rangesThatRan(ranges: readonly V8Range[]): number[] {
  const sorted = [...ranges].sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const found: number[] = [];
  const open: V8Range[] = [];
  let at = 0;
  const advance = (to: number) => {
    if (to > at && (open.at(-1)?.count ?? 0) > 0) {
      if (found.at(-1) === at) found[found.length - 1] = to;
      else found.push(at, to);
    }
    at = Math.max(at, to);
  };
  const close = () => {
    advance(open.at(-1)!.endOffset);
    open.pop();
  };
  for (const range of sorted) {
    while (open.length > 0 && open.at(-1)!.endOffset <= range.startOffset) close();
    advance(range.startOffset);
    open.push(range);
  }
  while (open.length > 0) close();
  return found;
}

function union(one: Ranges, other: Ranges): number[] {
  const pairs: [number, number][] = [];
  for (const ranges of [one, other]) {
    for (let at = 0; at < ranges.length; at += 2) pairs.push([ranges[at]!, ranges[at + 1]!]);
  }
  pairs.sort(([a], [b]) => a - b);
  const found: number[] = [];
  for (const [start, end] of pairs) {
    if (found.length > 0 && start <= found.at(-1)!) found[found.length - 1] = Math.max(found.at(-1)!, end);
    else found.push(start, end);
  }
  return found;
}
