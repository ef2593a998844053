// Which test files there are, and which of them begin: those that took longest before, so that none is left to end alone.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { root } from './prepare.js';

const remembered = join(root, 'node_modules', '.tollgate-test-seconds.json');

/**
 * The compiled test files that patterns name.
 * @param {readonly string[]} patterns paths or globs (`*`, `**`, `{a,b}`) from the project's root; a path is kept even
 * when nothing is there, so that the run fails
 * @returns {string[]} absolute paths, each once
 */
export function findTests(patterns) {
  const files = packages().flatMap((name) => filesIn(join(root, name, 'dist', 'test')));
  const found = patterns.flatMap((pattern) => {
    if (!/[*{]/.test(pattern)) return [resolve(root, pattern)];
    const matcher = toRegExp(pattern);
    return files.filter((path) => matcher.test(relative(root, path).split(sep).join('/')));
  });
  return [...new Set(found)].sort();
}

/** Sorts files by the seconds that they took the last time, the longest first; what never ran goes before all. */
export function slowestFirst(paths) {
  const seconds = readSeconds();
  const of = (path) => seconds[relative(root, path)] ?? Number.POSITIVE_INFINITY;
  return [...paths].sort((a, b) => (of(a) === of(b) ? 0 : of(b) - of(a)));
}

/** Remembers for the next run how long files took. */
export function rememberSeconds(files) {
  const seconds = readSeconds();
  for (const { path, seconds: taken } of files) seconds[relative(root, path)] = Math.round(taken * 10) / 10;
  writeFileSync(remembered, JSON.stringify(seconds));
}

function readSeconds() {
  try {
    return JSON.parse(readFileSync(remembered, 'utf8'));
  } catch {
    // The first run, or one that was ended while it wrote.
    return {};
  }
}

function packages() {
  return [
    'deploy',
    'client',
    ...readdirSync(join(root, 'services')).map((name) => `services/${name}`),
    'shared',
    'host',
  ];
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.js'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

function toRegExp(glob) {
  const parts = { '**/': '(?:.*/)?', '*': '[^/]*', '{': '(?:', ',': '|', '}': ')' };
  const source = glob.replace(/\*\*\/|[*{},]|[.+?^$()|[\]\\]/g, (part) => parts[part] ?? `\\${part}`);
  return new RegExp(`^${source}$`);
}
