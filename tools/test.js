// `npm test`: makes the clone and the machine ready, then runs format, lint and every test.
// `npm run test:fast`: the tests alone that need no browser, no server of a store and no other process.
// Test files may be named: npm test -- tests/dist/gateway/gateway.test.js; and how many run at once: npm test -- --jobs=1
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fastTests } from './fast-tests.js';
import { giveUp, npmCommand, prepare, root, run, runBeside } from './prepare.js';
import { setUp, setUpHelm } from './set-up.js';
import { removeStale } from './stale-output.js';
import { provideTestFolder } from './test-folder.js';

/**
 * Files that keep the whole machine busy and let no request fail, while a store that replies after half a second counts as
 * unavailable: they run after the others, one by one.
 */
const alone = ['gateway/roll-out', 'test/host-api', 'e2e/parallel', 'e2e/parallel-effort'].map(
  (name) => `/${name}.test.js`,
);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { fast: { type: 'boolean', default: false }, jobs: { type: 'string' } },
});

prepare();
removeStale();
const tools = values.fast ? {} : setUp();
if (!values.fast) setUpHelm();
const checked = values.fast ? true : check();
// Nothing else compiles the lab.
const isLabNamed = positionals.some((path) => path.startsWith('lab/'));
const lab =
  values.fast || (positionals.length > 0 && !isLabNamed)
    ? undefined
    : run(...npmCommand(['run', '--silent', 'lab']));
if (lab?.ok === false) giveUp(`The lab does not compile:\n${lab.output}`);
const { passed, failed } = await runTests();

const isClean = await checked;
if (!isClean) console.log('Format or lint failed: npm run check');
console.log(`\n${passed} passed, ${failed} failed`);
if (!isClean || failed > 0 || passed === 0) process.exitCode = 1;

/** Checks format and lint beside the tests. Resolves with whether all is well, and prints what is not. */
async function check() {
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const { ok, output } = await runBeside(process.execPath, [
    biome,
    'check',
    '--error-on-warnings',
    '--max-diagnostics=50',
  ]);
  if (!ok) console.log(output);
  return ok;
}

/** Resolves with the number of assertions that passed and failed. */
async function runTests() {
  // The parser of TAP is there only once the dependencies are.
  const { allTests, runTestFiles } = await import('./test-files.js');
  const { findTests } = await import('./test-order.js');
  const chosen = findTests(positionals.length > 0 ? positionals : values.fast ? fastTests : allTests);
  const isAlone = (path) => alone.some((name) => path.endsWith(name));
  const env = { ...tools, ...provideTestFolder() };
  const beside = await runTestFiles(
    chosen.filter((path) => !isAlone(path)),
    { env, ...(values.jobs && { jobs: Number(values.jobs) }) },
  );
  const after = await runTestFiles(chosen.filter(isAlone), { env, jobs: 1 });
  return { passed: beside.passed + after.passed, failed: beside.failed + after.failed };
}
