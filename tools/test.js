// Prepares the clone and the machine, then runs tests: the usage below names the commands.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { readArguments } from './arguments.js';
import { prepare, prepareLab, root, run } from './prepare.js';
import { setUp, setUpHelm } from './set-up.js';
import { removeStale } from './stale-output.js';
import { testFiles } from './test-files.js';
import { runTests } from './test-runner.js';

const USAGE = `usage: npm test [-- [--jobs=N] [FILE...]]
       npm run test:fast|test:rest|test:all [-- [--jobs=N] [FILE...]]
test runs format, lint and the tests for a change; test:fast those without browsers, store servers and other processes.
test:rest runs the other tests: browsers, libraries, packages, chart, deployment, drills, simulations. test:all runs both.
FILE is a compiled test, such as tests/dist/gateway/gateway.test.js. --jobs limits concurrent files.`;

/**
 * Files that keep the whole machine busy and allow no failed request, while a store that replies after half a second counts
 * as unavailable: they run after the others, one by one.
 */
const alone = ['gateway/roll-out', 'test/host-api', 'e2e/parallel', 'e2e/parallel-effort'].map(
  (name) => `/${name}.test.js`,
);

const { values, positionals } = readArguments(USAGE, {
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
    rest: { type: 'boolean', default: false },
    // A test waits for servers and browsers half of its time.
    jobs: { type: 'string', default: String(availableParallelism() + 1) },
  },
});
const command = ['all', 'fast', 'rest'].find((name) => values[name]) ?? 'test';

prepare();
const withLab = values.all || values.rest || positionals.some((path) => path.startsWith('lab/'));
const tools = values.fast ? {} : setUp(withLab);
if (!values.fast) setUpHelm();
if (withLab) prepareLab();
removeStale();
const isClean = values.fast || values.rest || checkFormat();

const files = positionals.length > 0 ? positionals : testFiles(command);
const isAlone = (path) => alone.some((name) => path.endsWith(name));
const options = { env: tools, jobs: values.jobs };
const results = [
  runTests(
    files.filter((path) => !isAlone(path)),
    options,
  ),
  runTests(files.filter(isAlone), { ...options, jobs: '1' }),
];
if (!isClean || results.includes(false)) process.exitCode = 1;

function checkFormat() {
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const args = [biome, 'check', '--error-on-warnings', '--max-diagnostics=50'];
  return run(process.execPath, args, { visible: true }).ok;
}
