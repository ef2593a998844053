// `npm run test:nodes`: runs the fast tests that require nothing but Node, and the main flow, on each supported Node line.
//
// The programs come from the npm package `node`. Lines may be named: npm run test:nodes -- 24 26
import { testsOfEveryNode } from './fast-tests.js';
import { runMainFlow } from './main-flow.js';
import { npmCommand, prepare, run } from './prepare.js';

const promisedLines = ['20', '22', '24', '26'];

await prepare();
const asked = process.argv.slice(2);
const results = [];
for (const line of asked.length > 0 ? asked : promisedLines) results.push(await tryLine(line));
console.log(`\n${results.map(({ line, result }) => `Node ${line}: ${result}`).join('\n')}`);
if (results.some(({ ok }) => !ok)) process.exitCode = 1;

/** A line that the registry does not have is skipped with a message. */
async function tryLine(line) {
  const found = findNode(line);
  if (found === undefined) {
    console.log(`SKIPPED: the registry has no Node ${line}.`);
    return { line, ok: true, result: 'SKIPPED, not in the registry' };
  }
  const { path, version } = found;
  console.log(`\n${version}`);
  const tests = await runTests(path);
  const flow = await runMainFlow(path).then(
    () => 'main flow ok',
    (error) => `main flow FAILED: ${error.message}`,
  );
  const { passed, failed } = tests;
  const result = `${version}, fast tests ${passed} passed, ${failed} failed, ${flow}`;
  return { line, ok: failed === 0 && passed > 0 && flow === 'main flow ok', result };
}

function findNode(line) {
  const args = ['exec', '--yes', `--package=node@${line}`, '--loglevel=error', '--', 'node', '-p'];
  const { ok, output } = run(...npmCommand([...args, 'process.version + " " + process.execPath']));
  const [, version, path] = /^(v\d+\.\d+\.\d+) (.+)$/m.exec(output) ?? [];
  return ok && version?.startsWith(`v${line}.`) ? { version, path } : undefined;
}

/** The assertions that passed and failed. */
async function runTests(node) {
  // The parser exists only after the dependencies are installed.
  const { runTestFiles } = await import('./test-files.js');
  return runTestFiles(testsOfEveryNode, { node });
}
