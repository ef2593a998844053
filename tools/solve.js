// Solves a proof of work in the terminal and prints the two required fields of a submission.
//
// Uses the browser package's solver, which `npm start` compiles.
//
//   node tools/solve.js http://localhost:8080
//       fetches a challenge from http://localhost:8080/api/captcha/pow and prints {"pow_token":"…","pow_nonce":"…"};
//       on a demo page, with the path and field names of its configuration
//   node tools/solve.js http://localhost:8080/other/pow?scope=…
//       the same from this exact address, with the default names
//   node tools/solve.js http://localhost:8080 '{"code":"captcha_required","captcha_required":true,"pow_scope":"…"}'
//       the same after a rejection: at the price in its ticket and, if an image is required, with effort in place of the
//       image, {"pow_token":"…","pow_nonce":"…","captcha_token":"…","captcha":"…"}; an empty text counts as no rejection
//   node tools/solve.js SALT DIFFICULTY
//       solves an existing challenge and prints {"pow_nonce":"…"}
//
// docs/sessions/login.md shows a shell login with it.
import { openSolver } from '../packages/client/dist/src/solver/solver.js';

const USAGE = 'usage: node tools/solve.js URL [REFUSAL] | SALT DIFFICULTY';

const solver = openSolver();

async function solve(head, difficulty) {
  const found = await solver.search({ head, difficulty }, { maxHashes: Number.POSITIVE_INFINITY });
  return found.nonce;
}

/** The response to an effort challenge: a nonce for each part, in order. */
async function solveParts({ salt, parts, part_difficulty: difficulty }) {
  const nonces = [];
  for (let part = 0; part < parts; part++) {
    nonces.push(await solve(salt + String(part).padStart(2, '0'), difficulty));
  }
  return nonces.join('.');
}

/** The address of the challenges and their field names. */
async function findChallenges(address) {
  const base = address.replace(/\/+$/, '');
  const page = await fetch(`${base}/page.json`);
  // Only the local gateway serves the page.
  const facts = await page.json().catch(() => ({}));
  return { url: `${base}/${facts.challenge_prefix ?? 'api/captcha'}`, names: facts.challenge_fields };
}

/** The fields of a solved proof of work. */
async function solveWork(url, names) {
  const { token, salt, difficulty } = await fetchChallenge(url);
  const nonce = await solve(salt, difficulty);
  return { [names?.pow_token ?? 'pow_token']: token, [names?.pow_nonce ?? 'pow_nonce']: nonce };
}

/** The fields of solved effort, which replaces an image. */
async function solveEffort(url, names) {
  const effort = await fetchChallenge(url);
  const answer = await solveParts(effort);
  return {
    [names?.captcha_token ?? 'captcha_token']: effort.token,
    [names?.captcha ?? 'captcha']: answer,
  };
}

async function fetchChallenge(url) {
  const response = await fetch(url);
  const body = await response.json();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${body.message}`);
  return body;
}

async function main(args) {
  // The solver's words for these are not those of the usage.
  if (args.length === 2 && /^[1-9]\d?$/.test(args[1])) {
    if (!/^[\da-f]{32}$/.test(args[0])) throw new Error('SALT must have 32 lower-case hexadecimal digits');
    return { pow_nonce: await solve(args[0], Number(args[1])) };
  }
  const [address, refusal = ''] = args;
  if (args.length > 2 || !/^https?:\/\/./.test(address) || !URL.canParse(address)) throw new Error(USAGE);
  if (/\/pow(\?|$)/.test(address)) return solveWork(address);
  const { captcha_required: needsImage, pow_scope: scope } = readRefusal(refusal);
  const { url, names } = await findChallenges(address);
  const query = scope === undefined ? '' : `scope=${encodeURIComponent(scope)}`;
  const work = await solveWork(`${url}/pow${query && `?${query}`}`, names);
  if (needsImage !== true) return work;
  return { ...work, ...(await solveEffort(`${url}?preset=effort${query && `&${query}`}`, names)) };
}

function readRefusal(text) {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(USAGE);
  }
}

try {
  console.log(JSON.stringify(await main(process.argv.slice(2))));
} catch (error) {
  console.error(error.cause?.message ?? error.message);
  process.exitCode = 1;
}
