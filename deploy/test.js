// `npm test`: makes the clone and the machine ready, then runs format, lint and every test.
// Test files may be named: npm test -- deploy/dist/test/gateway/gateway.test.js
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { giveUp, prepare, root, run } from './prepare.js';
import { removeStale } from './stale-output.js';
import { provideTools } from './test-tools.js';

const timeoutSeconds = 180;
const modules = join(root, 'node_modules');

prepare();
removeStale();
const tools = provideTools();
buildTap();
const isClean = check();
const { passed, failed } = await runTests(process.argv.slice(2));

if (!isClean) console.log('Format or lint failed: npm run check');
console.log(`${passed} passed, ${failed} failed`);
if (!isClean || failed > 0 || passed === 0) process.exitCode = 1;

/** Tap is generated with its plugins in it; its TypeScript plugin, which is there at first, does not run here. */
function buildTap() {
  const generated = join(modules, '@tapjs', 'test', 'test-built', 'dist', 'esm', 'index.js');
  if (!readFileSync(generated, 'utf8').includes('@tapjs/typescript')) return;
  const { ok, output } = run(process.execPath, [tapCommand(), 'build']);
  if (!ok) giveUp(`tap build failed:\n${output}`);
}

function check() {
  const biome = join(modules, '@biomejs', 'biome', 'bin', 'biome');
  const { ok, output } = run(process.execPath, [
    biome,
    'check',
    '--error-on-warnings',
    '--max-diagnostics=50',
  ]);
  if (!ok) console.log(output);
  return ok;
}

/** Resolves with the number of assertions that passed and failed, as tap counted them. */
async function runTests(files) {
  // Its parser is there only once the dependencies are.
  const { reportTap } = await import('./tap-report.js');
  const args = ['--disable-coverage', '--reporter=tap', `--timeout=${timeoutSeconds}`, ...files];
  const tap = spawn(process.execPath, [tapCommand(), 'run', ...args], {
    cwd: root,
    env: { ...process.env, ...tools, NODE_ENV: 'test' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => tap.once('close', resolve));
  const counts = await reportTap(tap.stdout);
  const code = await ended;
  if (code !== 0 && counts.failed === 0) return { ...counts, failed: 1 };
  return counts;
}

function tapCommand() {
  return join(modules, 'tap', 'dist', 'esm', 'run.mjs');
}
