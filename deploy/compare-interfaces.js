// `npm run interfaces -- REF`: compares what others build on with an earlier commit: OpenAPI documents, bodies on the wire,
// variables, error codes, store keys and metrics. Prints each difference and ends with 1 if there is one.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.js';

const openapi = readdirSync(join(root, 'docs', 'openapi')).map((name) => `docs/openapi/${name}`);

/** The facts of each generated document: a text for each, which says what a client, an operator or a dashboard relies on. */
const documents = [
  ...openapi.map((path) => ({ path, facts: (text) => leaves(JSON.parse(text)) })),
  { path: 'client/src/wire.ts', facts: (text) => codeLines(text) },
  { path: 'docs/configuration.md', facts: (text) => rows(text, 2) },
  { path: 'docs/errors.md', facts: (text) => rows(text, 2) },
  { path: 'docs/store-keys.md', facts: (text) => rows(text, 1) },
  { path: 'docs/metrics.md', facts: (text) => rows(text, 3) },
];

/** Every value in a document with its path; texts that only people read are left out. */
function leaves(value, path = '') {
  if (typeof value !== 'object' || value === null) return [`${path} = ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' && /^(description|summary)$/.test(key) ? [] : leaves(inner, `${path}/${key}`),
  );
}

/** The lines of a TypeScript file without its comments. */
function codeLines(text) {
  return text
    .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The first columns of all rows of the tables whose first cell is code. */
function rows(text, columns) {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, columns + 1)
        .map((cell) => cell.trim())
        .join(' | '),
    );
}

function before(ref, path) {
  try {
    return execFileSync('git', ['show', `${ref}:${path}`], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1e8,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
}

const [ref] = process.argv.slice(2);
if (ref === undefined) {
  console.error('Usage: npm run interfaces -- REF (a commit, a branch or a tag)');
  process.exit(2);
}
let differences = 0;
for (const { path, facts } of documents) {
  const text = before(ref, path);
  const old = new Set(text === undefined ? [] : facts(text));
  const now = new Set(facts(readFileSync(join(root, path), 'utf8')));
  if (now.size === 0) throw new Error(`${path} says nothing that could be compared`);
  const changes = [
    ...[...old].filter((fact) => !now.has(fact)).map((fact) => `- ${fact}`),
    ...[...now].filter((fact) => !old.has(fact)).map((fact) => `+ ${fact}`),
  ];
  for (const change of changes) console.log(`${path}: ${change}`);
  differences += changes.length;
}
console.log(differences === 0 ? `Nothing differs from ${ref}.` : `${differences} differences from ${ref}.`);
process.exitCode = differences === 0 ? 0 : 1;
