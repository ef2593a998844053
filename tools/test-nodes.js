// Runs tests on each promised line of Node, with the programs of the package `node` of the npm registry.
import { availableParallelism } from 'node:os';
import { readArguments, rejectArguments } from './arguments.js';
import { runMainFlow } from './main-flow.js';
import { npmCommand, prepare, run } from './prepare.js';
import { testFiles } from './test-files.js';
import { runTests } from './test-runner.js';

const promisedLines = ['20', '22', '24', '26'];

const USAGE = `usage: npm run test:nodes [-- LINE...]
It runs the tests that need only Node, and the main flow, on each line of Node, such as 24; without one on ${promisedLines.join(', ')}.`;

const { positionals: asked } = readArguments(USAGE, { allowPositionals: true });
const wrong = asked.find((line) => !/^\d+$/.test(line));
if (wrong !== undefined) rejectArguments(USAGE, `'${wrong}' is no line of Node, such as 24`);
await prepare();
const results = [];
for (const line of asked.length > 0 ? asked : promisedLines) results.push(await tryLine(line));
console.log(`\n${results.map(({ line, result }) => `Node ${line}: ${result}`).join('\n')}`);
if (results.some(({ ok }) => !ok)) process.exitCode = 1;

/** A line that the registry does not have is skipped, and said. */
async function tryLine(line) {
  const found = findNode(line);
  if (found === undefined) {
    console.log(`SKIPPED: no Node ${line} can be had from the registry.`);
    return { line, ok: true, result: 'SKIPPED, it cannot be had' };
  }
  const { path, version } = found;
  console.log(`\n${version}`);
  const passed = runTests(testFiles('every-node'), { node: path, jobs: String(availableParallelism() + 1) });
  const flow = await runMainFlow(path).then(
    () => 'main flow ok',
    (error) => `main flow FAILED: ${error.message}`,
  );
  const result = `${version}, fast tests ${passed ? 'passed' : 'FAILED'}, ${flow}`;
  return { line, ok: passed && flow === 'main flow ok', result };
}

function findNode(line) {
  const args = ['exec', '--yes', `--package=node@${line}`, '--loglevel=error', '--', 'node', '-p'];
  const { ok, output } = run(...npmCommand([...args, 'process.version + " " + process.execPath']));
  const [, version, path] = /^(v\d+\.\d+\.\d+) (.+)$/m.exec(output) ?? [];
  return ok && version?.startsWith(`v${line}.`) ? { version, path } : undefined;
}
