// `npm test`: prepares the clone and the machine, then runs format, lint and the tests for a change.
// `npm run test:rest`: runs the other tests: browsers, libraries, packages, chart, deployment, drills, simulations.
// `npm run test:all`: runs both at once.
// `npm run test:fast`: only tests without browsers, store servers and other processes.
// Test files may be named: npm test -- tests/dist/gateway/gateway.test.js; --jobs=1 limits concurrent files.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fastTests } from './fast-tests.js';
import { prepare, prepareLab, root, runBeside } from './prepare.js';
import { setUp, setUpHelm } from './set-up.js';
import { removeStale } from './stale-output.js';
import { provideTestFolder } from './test-folder.js';

/**
 * Files that keep the whole machine busy and allow no failed request, while a store that replies after half a second counts
 * as unavailable: they run after the others, one by one.
 */
const alone = ['gateway/roll-out', 'test/host-api', 'e2e/parallel', 'e2e/parallel-effort'].map(
  (name) => `/${name}.test.js`,
);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
    rest: { type: 'boolean', default: false },
    jobs: { type: 'string' },
  },
});

prepare();
removeStale();
const tools = values.fast ? {} : setUp();
if (!values.fast) setUpHelm();
const checked = values.fast || values.rest ? true : check();
if (values.all || values.rest || positionals.some((path) => path.startsWith('lab/'))) prepareLab();
const { passed, failed } = await runTests();

const isClean = await checked;
if (!isClean) console.log('Format or lint failed: npm run check');
console.log(`\n${passed} passed, ${failed} failed`);
if (!isClean || failed > 0 || passed === 0) process.exitCode = 1;

/** Returns the requested compiled test files. */
async function chooseTests() {
  const { labTests, productTests, slowTests } = await import('./test-files.js');
  const { findTests } = await import('./test-order.js');
  if (positionals.length > 0) return findTests(positionals);
  if (values.fast) return findTests(fastTests);
  if (values.all) return findTests([...productTests, ...labTests]);
  if (values.rest) return findTests([...slowTests, ...labTests]);
  const slow = findTests(slowTests);
  return findTests(productTests).filter((path) => !slow.includes(path));
}

/** Checks format and lint beside the tests. Prints findings; resolves with true if there are none. */
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
  // The TAP parser exists only after the dependencies are installed.
  const { runTestFiles } = await import('./test-files.js');
  const chosen = await chooseTests();
  const isAlone = (path) => alone.some((name) => path.endsWith(name));
  const env = { ...tools, ...provideTestFolder() };
  const beside = await runTestFiles(
    chosen.filter((path) => !isAlone(path)),
    { env, ...(values.jobs && { jobs: Number(values.jobs) }) },
  );
  const after = await runTestFiles(chosen.filter(isAlone), { env, jobs: 1 });
  return { passed: beside.passed + after.passed, failed: beside.failed + after.failed };
}
