// `npm run interfaces -- REF`: compares the public interfaces with an earlier commit: OpenAPI documents, wire bodies,
// variables, error codes, store keys, metrics, commands and their options, chart values and package entry points. Prints
// each difference and exits with 1 if there is one.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readArguments, rejectArguments } from './arguments.js';
import { root, run } from './prepare.js';

const USAGE = `usage: npm run interfaces -- REF
REF is a commit, a branch or a tag.`;

/** The interfaces: their files, wherever they are, and how to extract the facts of each. */
const interfaces = [
  {
    name: (path) => /([\w-]+)\.(?:json|yaml)$/.exec(path)[1],
    files: /^docs\/openapi\/[\w-]+\.(?:json|yaml)$/,
    facts: (text) => leaves(inlined(parse(text))),
  },
  { name: () => 'wire bodies', files: /(?:^|\/)(?:client|verify)\/src\/wire\.ts$/, facts: codeLines },
  { name: () => 'variables', files: /^docs\/configuration\.md$/, facts: (text) => rows(text, 2) },
  { name: () => 'error codes', files: /^docs\/errors\.md$/, facts: (text) => rows(text, 2) },
  { name: () => 'store keys', files: /^docs\/store-keys\.md$/, facts: (text) => rows(text, 1) },
  { name: () => 'metrics', files: /^docs\/metrics\.md$/, facts: (text) => rows(text, 3) },
  { name: () => 'scripts', files: /^package\.json$/, facts: (text) => Object.keys(JSON.parse(text).scripts) },
  {
    name: () => 'commands',
    files: /\/(?:cli|doctor|drills)\/.*(?<!\.test)\.ts$/,
    facts: usageLines,
  },
  {
    name: () => 'chart values',
    files: /^deploy\/helm\/\w+\/values\.yaml$/,
    facts: (text) => leaves(parse(text)),
  },
  { name: () => 'entry points', files: /(?:^|\/)package\.json$/, facts: entryPoints },
];

/** Every value in a document with its path, without texts that only people read. */
function leaves(value, path = '') {
  if (typeof value !== 'object' || value === null) return [`${path} = ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' && /^(description|summary)$/.test(key) ? [] : leaves(inner, `${path}/${key}`),
  );
}

/** The document with its components inlined, because their location is no fact. */
function inlined({ components, ...document }) {
  const resolve = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const [, kind, name] = /^#\/components\/(\w+)\/(.+)$/.exec(value.$ref ?? '') ?? [];
    if (kind !== undefined) return resolve(components[kind][name]);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
  };
  return resolve({ ...document, securitySchemes: components.securitySchemes });
}

/** The lines of a TypeScript file without its comments. */
function codeLines(text) {
  return text
    .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The first column of all table rows that start with code. */
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

/** The forms of a command: its usage lines without explanations. */
function usageLines(text) {
  // A single form is a quoted string; several are in a template literal.
  const [, only, usage = only ?? ''] = /\busage: (?:'([^']*)'|([\s\S]*?)`)/.exec(text) ?? [];
  const command = usage.split(' ')[0];
  return usage
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line.startsWith(command));
}

/** The entry points of published packages; `@tollgate/shared` is internal. */
function entryPoints(text) {
  const { name, exports = {}, bin = {} } = JSON.parse(text);
  if (!['@tollgate/client', '@tollgate/fastify', '@tollgate/session', '@tollgate/verify'].includes(name))
    return [];
  return [...Object.keys(exports), ...Object.keys(bin)].map((entry) => `${name} ${entry}`);
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e9 });
}

/** The facts of all interfaces. @param read returns the text of a file */
function factsOf(paths, read) {
  const found = new Map();
  for (const { name, files, facts } of interfaces) {
    for (const path of paths.filter((each) => files.test(each))) {
      const title = name(path);
      const known = found.get(title) ?? new Set();
      for (const fact of facts(read(path))) known.add(fact);
      found.set(title, known);
    }
  }
  return found;
}

const [ref, ...more] = readArguments(USAGE, { allowPositionals: true }).positionals;
if (ref === undefined || more.length > 0) rejectArguments(USAGE, 'One REF is needed');
if (!run('git', ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]).ok)
  rejectArguments(USAGE, `There is no commit '${ref}'`);
const here = git('ls-files', '--cached', '--others', '--exclude-standard').trim().split('\n');
const now = factsOf(
  here.filter((path) => existsSync(join(root, path))),
  (path) => readFileSync(join(root, path), 'utf8'),
);
const there = git('ls-tree', '-r', '--name-only', ref).trim().split('\n');
const old = factsOf(there, (path) => git('show', `${ref}:${path}`));
let differences = 0;
for (const title of new Set([...old.keys(), ...now.keys()])) {
  const [before, after] = [old, now].map((facts) => facts.get(title) ?? new Set());
  if (after.size === 0) throw new Error(`${title} has no facts`);
  const changes = [
    ...[...before].filter((fact) => !after.has(fact)).map((fact) => `- ${fact}`),
    ...[...after].filter((fact) => !before.has(fact)).map((fact) => `+ ${fact}`),
  ];
  for (const change of changes) console.log(`${title}: ${change}`);
  differences += changes.length;
}
console.log(differences === 0 ? `Nothing differs from ${ref}.` : `${differences} differences from ${ref}.`);
process.exitCode = differences === 0 ? 0 : 1;
