// Finds test files and orders them: the slowest first, so that no long file runs alone at the end.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { root } from './prepare.js';

const remembered = join(root, 'node_modules', '.tollgate-test-seconds.json');
/** Estimates for files without a recorded run: listed ones take up to a minute, others seconds by size. */
const listedSeconds = 60;
const bytesPerSecond = 10_000;

/**
 * Returns the compiled test files that match patterns.
 * @param {readonly string[]} patterns paths or globs (`*`, `**`, `{a,b}`) from the project's root; a path without a glob
 * is kept even if there is no such file, so that the run fails
 * @returns {string[]} absolute paths, each once
 * @throws Error if a glob, with one alternative of each brace, matches no file: its tests have moved
 */
export function findTests(patterns) {
  const files = folders().flatMap((name) => filesIn(join(root, name)));
  const found = patterns.flatMap((pattern) => {
    if (!/[*{]/.test(pattern)) return [resolve(root, pattern)];
    return expandBraces(pattern).flatMap((glob) => {
      const matcher = toRegExp(glob);
      const matching = files.filter((path) => matcher.test(relative(root, path).split(sep).join('/')));
      if (matching.length === 0) throw new Error(`No test matches ${glob}.`);
      return matching;
    });
  });
  return [...new Set(found)].sort();
}

function expandBraces(pattern) {
  const [all, words] = /\{([^}]*)\}/.exec(pattern) ?? [];
  if (all === undefined) return [pattern];
  return words.split(',').flatMap((word) => expandBraces(pattern.replace(all, word)));
}

/** The slowest files, in descending order: the start of a clone's first run. */
const longest = [
  'tests/dist/gateway/roll-out',
  'lab/dist/test/drills/drills',
  'lab/dist/test/packages/packages',
  'lab/dist/test/client/examples',
  'lab/dist/test/engines/webkit',
  'lab/dist/test/engines/firefox',
  'lab/dist/test/engines/chromium',
  'tests/dist/host-api',
  'tests/dist/e2e/specification-client',
  'tests/dist/compose-sentinel',
  'packages/client/dist/test/element/states',
  'packages/client/dist/test/session/browser-tabs',
  'shared/dist/test/store/fail-over',
  'shared/dist/test/http/tokens/tokens-fuzz',
  'services/session-service/dist/test/lost-directory',
  'services/challenge-service/dist/test/cli/captcha',
  'tests/dist/docs/server-samples',
  'tests/dist/gateway/gateway-caddy',
  'lab/dist/test/side-by-side/side-by-side',
  'tests/dist/e2e/parallel',
  'tests/dist/docs/readme',
  'tests/dist/demo/demo-page',
  'lab/dist/test/packages/prepack',
  'tests/dist/launcher/system',
  'tests/dist/demo/demo-page-price',
  'tests/dist/e2e/parallel-effort',
  'tests/dist/demo/demo-page-sessions',
  'tests/dist/e2e/sessions',
].map((name) => `${name}.test.js`);

/** Sorts files by their last duration, longest first; files without one by size. */
export function slowestFirst(paths) {
  const seconds = readSeconds();
  const unknown = (name) => {
    const at = longest.indexOf(name);
    return at < 0
      ? (statSync(join(root, name), { throwIfNoEntry: false })?.size ?? 0) / bytesPerSecond
      : listedSeconds - at;
  };
  const known = paths.map((path) => [path, seconds[relative(root, path)] ?? unknown(relative(root, path))]);
  return known.sort(([, a], [, b]) => b - a).map(([path]) => path);
}

/** Records the durations of files for the next run. */
export function rememberSeconds(files) {
  const seconds = readSeconds();
  for (const { path, seconds: taken } of files) seconds[relative(root, path)] = Math.round(taken * 10) / 10;
  writeFileSync(remembered, JSON.stringify(seconds));
}

function readSeconds() {
  try {
    return JSON.parse(readFileSync(remembered, 'utf8'));
  } catch {
    // First run, or interrupted while writing.
    return {};
  }
}

function folders() {
  const grouped = ['packages', 'services'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}`),
  );
  const packages = [...grouped, 'shared', 'lab'];
  const inPackages = packages.flatMap((name) => [`${name}/dist/test`, `${name}/dist/extensions`]);
  return [...inPackages, 'tests/dist'].filter((name) => existsSync(join(root, name)));
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.js'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

function toRegExp(glob) {
  const wildcards = { '**/': '(?:.*/)?', '*': '[^/]*' };
  const source = glob.replace(/\*\*\/|\*|[.+?^$()|[\]\\]/g, (part) => wildcards[part] ?? `\\${part}`);
  return new RegExp(`^${source}$`);
}
