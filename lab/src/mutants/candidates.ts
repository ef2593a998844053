// Ordered candidate tests for a mutant.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type CoveredTest, isOutside, ranAt, type Tests } from './coverage.js';
import type { Place } from './mutant.js';
import { filesIn, ROOT } from './sources.js';

/** A candidate, with its duration without a mutant if known. */
export interface Candidate {
  readonly test: string;
  readonly seconds?: number;
}

const testTexts = new Map<string, string>();
function testText(test: string): string {
  if (!testTexts.has(test)) testTexts.set(test, readFileSync(join(ROOT, test), 'utf8'));
  return testTexts.get(test)!;
}

/** Returns the tests that run a mutant's code, nearest and fastest first; then those chosen by name. */
export async function candidatesOf(place: Place, tests: Tests): Promise<Candidate[]> {
  const { source, offset } = place;
  const { file, runs } = source;
  if (source.room === 'gateways') return ofGateway(file, tests);
  const places = runs.endsWith('.lua') ? callsOf(basename(runs, '.lua')) : [{ file: runs, offset }];
  const isClient = source.room === 'client';
  const covered = await tests.covered((test) => test.startsWith('packages/client/') === isClient);
  const covering = covered.filter(
    (test) => test.passed && places.some((each) => ranAt(test, each.file, each.offset)),
  );
  const cost = ({ test, busySeconds }: CoveredTest) => (busySeconds + 0.5) / nearness(test, file);
  covering.sort((one, other) => cost(one) - cost(other));
  return [...covering, ...(isClient ? inBrowser(file, tests) : [])];
}

/** Rough estimate of the share of a source's mutants that a test kills. */
function nearness(test: string, file: string): number {
  const [testStem, stem] = [test, file].map((path) => basename(path).replace(/\..*/, ''));
  if (testStem === stem) return 0.6;
  const [testFolder, folder] = [test, file].map((path) => dirname(path).replace(/\/(dist|src|test)\b/g, ''));
  if (testFolder === folder) return 0.3;
  return test.split('/')[0] === file.split('/')[0] ? 0.1 : 0.05;
}

/** Where modules run a store script. */
function callsOf(name: string): { file: string; offset: number }[] {
  const modules = ['shared/dist/src', 'services/session-service/dist/src'].flatMap(filesIn);
  return modules
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => {
      const code = readFileSync(join(ROOT, file), 'utf8');
      const found = new RegExp(`(?:const|let) (\\w+) = loadScript\\([^;]*'${name}'\\)`).exec(code);
      if (found === null)
        return code.includes(`'${name}'`) ? [{ file, offset: code.indexOf(`'${name}'`) }] : [];
      const calls = code.matchAll(new RegExp(`(?<![\\w.])${found[1]}\\(`, 'g'));
      return [...calls].map(({ index }) => ({ file, offset: index }));
    });
}

/** Browser tests of the same part of the package. */
function inBrowser(file: string, tests: Tests): Candidate[] {
  const part = file.replace('packages/client/src/', '').replace(/[/.].*/, '');
  const words = file.split(/[/.-]/);
  const shared = (test: string) => test.split(/[/.-]/).filter((word) => words.includes(word)).length;
  return tests.names
    .filter((test) => test.startsWith(`packages/client/dist/test/${part}/`) && isOutside(test))
    .sort((one, other) => shared(other) - shared(one))
    .map((test) => ({ test }));
}

/** Tests of the file or its program: those named after it, then those that read it. */
function ofGateway(file: string, tests: Tests): Candidate[] {
  const name = basename(file);
  const program = name.endsWith('.cfg') ? 'haproxy' : name.includes('nginx') ? 'nginx' : 'caddy';
  // In `forward-auth.nginx.conf` the purpose comes first; other files are named after the program.
  const purpose = /^(forward-auth|gate)\./.exec(name)?.[1] ?? program;
  const score = (test: string) => {
    const code = testText(test);
    const reads = code.includes(`'${name}'`) ? 2 : 0;
    const runs = new RegExp(program, 'i').test(code) ? 1 : 0;
    return reads + runs === 0 ? 0 : reads + runs + (basename(test).includes(purpose) ? 3 : 0);
  };
  return tests.names
    .filter((test) => test.startsWith('tests/dist/gateway/'))
    .map((test) => ({ test, score: score(test) }))
    .filter((each) => each.score > 0)
    .sort((one, other) => other.score - one.score);
}
