// Solves a proof of work in the terminal and prints the two fields that a submission must carry.
//
// The solver is that of the browser package, which `npm start` compiles.
//
//   node deploy/solve.js http://localhost:8080
//       fetches a challenge from http://localhost:8080/api/captcha/pow and prints {"pow_token":"…","pow_nonce":"…"};
//       where the demo page is, with the path and the names of the fields that it knows
//   node deploy/solve.js http://localhost:8080/other/pow?scope=…
//       the same from this very address, with the usual names
//   node deploy/solve.js SALT DIFFICULTY
//       solves a challenge that is already there and prints {"pow_nonce":"…"}
//
// A log-in from the shell:
//
//   work=$(node deploy/solve.js http://localhost:8080)
//   curl -i http://localhost:8080/login -H 'content-type: application/json' \
//     -d "{\"email\":\"demo@example.com\",\"password\":\"…\",${work#?}"
import { openSolver } from '../client/dist/src/solver/solver.js';

const solver = openSolver();

async function solve(salt, difficulty) {
  const found = await solver.search({ head: salt, difficulty }, { maxHashes: Number.POSITIVE_INFINITY });
  return found.nonce;
}

/** Where work is issued, and what its fields are called. */
async function findWork(address) {
  const base = address.replace(/\/+$/, '');
  if (/\/pow(\?|$)/.test(base)) return { url: base };
  const page = await fetch(`${base}/page.json`);
  // Only the local gateway has the page.
  const facts = await page.json().catch(() => ({}));
  return { url: `${base}/${facts.challenge_prefix ?? 'api/captcha'}/pow`, names: facts.challenge_fields };
}

async function fetchChallenge(url) {
  const response = await fetch(url);
  const body = await response.json();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${body.message}`);
  return body;
}

async function main(args) {
  if (args.length === 2 && /^[1-9]\d?$/.test(args[1])) {
    return { pow_nonce: await solve(args[0], Number(args[1])) };
  }
  if (args.length !== 1) throw new Error('usage: node deploy/solve.js URL | SALT DIFFICULTY');
  const { url, names } = await findWork(args[0]);
  const { token, salt, difficulty } = await fetchChallenge(url);
  const nonce = await solve(salt, difficulty);
  return { [names?.pow_token ?? 'pow_token']: token, [names?.pow_nonce ?? 'pow_nonce']: nonce };
}

try {
  console.log(JSON.stringify(await main(process.argv.slice(2))));
} catch (error) {
  console.error(error.cause?.message ?? error.message);
  process.exitCode = 1;
}
