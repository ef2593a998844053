// Mutation tests of the pure modules with StrykerJS.
//
//   ROOM=session npm run stryker
//       runs one of `rooms` below. The sources are changed in place meanwhile, so run it in a separate clone.
//       docs/contributing.md has the results, survivors.md beside this file the named survivors
//   ROOM=session STATIC=0 npm run stryker
//       leaves out code that runs while a file is loaded, such as patterns
//   ROOM=session AGAIN=1 npm run stryker
//       runs the survivors of the last run again

import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * The sources of a room, its unit tests, as folders or files, and the projects to build if others than usual. No test may
 * require a store or a server.
 */
const rooms = {
  session: {
    sources: ['services/session-service/src/domain'],
    tests: ['services/session-service/dist/test/domain'],
  },
  challenge: {
    sources: ['services/challenge-service/src/domain'],
    tests: ['services/challenge-service/dist/test/domain'],
  },
  pow: { sources: ['shared/src/pow'], tests: ['shared/dist/test/pow'] },
  crypto: {
    sources: ['shared/src/crypto'],
    tests: [
      'shared/dist/test/crypto',
      'shared/dist/test/http/tokens/page-tokens.test.js',
      'shared/dist/test/http/tokens/public-tokens.test.js',
    ],
  },
  tokens: {
    sources: ['page-tokens.ts', 'public-tokens.ts', 'token-codec.ts', 'tokens.ts'].map(
      (file) => `shared/src/http/tokens/${file}`,
    ),
    tests: ['page-tokens', 'public-tokens', 'tokens'].map(
      (file) => `shared/dist/test/http/tokens/${file}.test.js`,
    ),
  },
  // The rules in shared/src/challenges with tests that need no store.
  rules: {
    sources: [
      'shared/src/challenges/form-rules.ts',
      'shared/src/challenges/attempts/demand.ts',
      'shared/src/challenges/attempts/pseudonyms.ts',
      'shared/src/challenges/store/records.ts',
      'shared/src/challenges/types',
    ],
    tests: [
      'shared/dist/test/challenges/form-rules.test.js',
      'shared/dist/test/challenges/attempts/pseudonyms.test.js',
      'shared/dist/test/challenges/store/records.test.js',
      'shared/dist/test/challenges/types',
    ],
  },
  submissions: {
    sources: [
      ...['challenge-lifetimes', 'submission', 'verify-record'],
      ...['attempts', 'next-attempt', 'pass', 'scope-ticket'].map((file) => `attempts/${file}`),
    ].map((file) => `shared/src/challenges/${file}.ts`),
    tests: [
      ...['challenge-lifetimes', 'submission', 'verify-record'],
      ...['attempts/next-attempt', 'attempts/scope-ticket', 'store/records'],
    ].map((file) => `shared/dist/test/challenges/${file}.test.js`),
    projects: 'shared/test',
  },
  verify: {
    sources: ['packages/verify/src'],
    tests: ['form-inputs', 'outcomes'].map((file) => `packages/verify/dist/test/${file}.test.js`),
    projects: 'packages/verify packages/verify/test',
  },
  'page-session': {
    sources: ['packages/session/src'],
    tests: ['packages/session/dist/test/page-users.test.js'],
    projects: 'packages/session packages/session/test',
  },
};

const { ROOM, AGAIN } = process.env;
const room = rooms[ROOM];
if (room === undefined) throw new RangeError(`ROOM must be one of ${Object.keys(rooms).join(', ')}`);

const filesIn = (folder, ending) =>
  readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith(ending))
    .map((file) => `${folder}/${file}`)
    .sort();
// The text of the WebAssembly module is not our code.
const mutated = room.sources
  .flatMap((path) => (path.endsWith('.ts') ? [path] : filesIn(path, '.ts')))
  .filter((file) => !file.endsWith('-module.ts'));
const tests = room.tests.flatMap((path) => (path.endsWith('.js') ? [path] : filesIn(path, '.test.js')));
const report = `lab/dist/stryker/${ROOM}.json`;

/** The positions of survivors and uncovered mutants, in the format of the option `mutate`. */
function survivors() {
  if (!existsSync(report)) throw new Error(`run ROOM=${ROOM} npm run stryker first`);
  return Object.entries(JSON.parse(readFileSync(report, 'utf8')).files).flatMap(([file, { mutants }]) =>
    mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map(
        ({ location: { start, end } }) =>
          `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`,
      ),
  );
}

const { projects = 'shared/test services/session-service services/challenge-service' } = room;

// Each test file prints TAP instead of tap's report.
process.env.TAP = '1';

export default {
  testRunner: 'tap',
  plugins: ['@stryker-mutator/tap-runner'],
  tap: { testFiles: tests, nodeArgs: ['-r', '{{hookFile}}', '{{testFile}}'], forceBail: true },
  mutate: AGAIN === undefined ? mutated : survivors(),
  // Strings and object properties are left out: most of their mutants are messages and names.
  mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral'] },
  // Links in node_modules lead into this tree, so a copy of it would test other code.
  inPlace: true,
  buildCommand: `npx tsc -b --checkers 1 ${projects}`,
  disableTypeChecks: '{shared,services/*,packages/*}/{src,test}/**/*.ts',
  checkers: [],
  coverageAnalysis: 'perTest',
  ignoreStatic: process.env.STATIC === '0',
  concurrency: 1,
  timeoutMS: 20_000,
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: AGAIN === undefined ? report : report.replace('.json', '-again.json') },
  tempDirName: 'lab/dist/stryker/backup',
  warnings: { slow: false, unknownOptions: false },
};
