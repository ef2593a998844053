// `npm run test:nodes`: runs the fast tests that need nothing but Node, and the main flow on each promised line of Node.
//
// The package `node` of the npm registry brings the programs. Lines may be named: npm run test:nodes -- 24 26
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testsOfEveryNode } from './fast-tests.js';
import { npmCommand, prepare, root, run } from './prepare.js';

const promisedLines = ['20', '22', '24', '26'];
const startMs = 120_000;

prepare();
const asked = process.argv.slice(2);
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
  const tests = await runTests(path);
  const flow = await mainFlow(path).then(
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
  // Its parser is there only once the dependencies are.
  const { runTestFiles } = await import('./test-files.js');
  return runTestFiles(testsOfEveryNode, { node });
}

/** Starts the system as `npm start` does, signs in with solved work, reads the profile, refreshes and signs out. */
async function mainFlow(node) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-nodes-'));
  const ports = ['GATEWAY', 'SESSION', 'SESSION_ADMIN', 'CHALLENGE', 'CHALLENGE_ADMIN'];
  const system = spawn(node, [join(root, 'deploy', 'dist', 'src', 'start.js')], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: folder,
      ...Object.fromEntries(ports.map((name) => [`${name}_PORT`, '0'])),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => system.once('close', resolve));
  try {
    const { address, password } = await announced(system, ended);
    await signInAndOut(node, address, password);
  } finally {
    system.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function announced(system, ended) {
  let out = '';
  const said = new Promise((resolve) => {
    system.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
      const [, address, password] = /open at +(\S+)\s.*Password +(\S+)\s.*Ctrl-C/s.exec(out) ?? [];
      if (address !== undefined) resolve({ address, password });
    });
  });
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, startMs);
  });
  const found = await Promise.race([said, ended.then(() => undefined), late]);
  clearTimeout(timer);
  if (found === undefined) throw new Error(`the system did not start: ${out.trim()}`);
  return found;
}

async function signInAndOut(node, address, password) {
  const solved = spawnSync(node, [join(root, 'deploy', 'solve.js'), address], { encoding: 'utf8' });
  if (solved.status !== 0) throw new Error(`the work was not solved: ${solved.stderr}`);
  const body = { email: 'demo@example.com', password, ...JSON.parse(solved.stdout) };
  const login = await ask(`${address}/login`, 200, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { accessToken } = await login.json();
  const [cookie] = login.headers.getSetCookie()[0].split(';');
  await ask(`${address}/profile`, 200, { headers: { authorization: `Bearer ${accessToken}` } });
  const image = await (await ask(`${address}/api/captcha`, 200)).json();
  await ask(image.url, 200);
  await ask(`${address}/refresh`, 200, { method: 'POST', headers: { cookie } });
  await ask(`${address}/refresh`, 204, { method: 'DELETE', headers: { cookie } });
}

async function ask(url, status, options) {
  const answer = await fetch(url, options);
  if (answer.status === status) return answer;
  throw new Error(`${options?.method ?? 'GET'} ${new URL(url).pathname} answered ${answer.status}`);
}
