// The main flow of `npm run test:nodes`: a user's first steps, on a chosen Node program.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './prepare.js';

const startMs = 120_000;

/**
 * Starts the system as `npm start` does, logs in with solved work, reads the profile, refreshes and logs out.
 * @param {string} node path of the program that runs all steps
 * @throws Error with the failed step
 */
export async function runMainFlow(node) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-nodes-'));
  const ports = ['GATEWAY', 'SESSION', 'SESSION_ADMIN', 'CHALLENGE', 'CHALLENGE_ADMIN'];
  const system = spawn(node, [join(root, 'tools', 'dist', 'src', 'launcher', 'start.js')], {
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
  const solved = spawnSync(node, [join(root, 'tools', 'solve.js'), address], { encoding: 'utf8' });
  if (solved.status !== 0) throw new Error(`the work was not solved: ${solved.stderr}`);
  const body = { email: 'demo@example.com', password, ...JSON.parse(solved.stdout) };
  const login = await ask(`${address}/login`, 200, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { accessToken } = await login.json();
  const [cookie] = login.headers.getSetCookie().at(0).split(';');
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
