// The compiled test files, by the command that runs them.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.js';

const inPackages = ['packages', 'services'].flatMap((group) =>
  readdirSync(join(root, group)).flatMap((name) => [
    `${group}/${name}/dist/test`,
    `${group}/${name}/dist/extensions`,
  ]),
);

/** The tests of the product and those of the lab, from the project's root. */
const productTests = ['shared/dist/test', ...inPackages, 'tests/dist'];
const labTests = ['lab/dist/test'];

/**
 * The files that `npm test` leaves to `npm run test:rest`: failing stores, PostgreSQL, other gateways, deployment, doctor,
 * samples in other languages, fuzzing, and browser tests other than the main flows.
 */
const slow = [
  /^services\/session-service\/.*\/stores\/fail-over\./,
  /^services\/session-service\/.*\/postgres-(directory|person)\./,
  /^shared\/.*\/store\/(deaths|fail-over)\./,
  /^shared\/.*\/tokens-fuzz\./,
  /^services\/.*\/drop-in\/test\/hostile\./,
  /^packages\/client\/.*\/drop-in\/widgets\./,
  /^packages\/client\/.*\/element\/(display|layout|odd-pages|plain-form|prebuilt-file|states)\./,
  /^packages\/client\/.*\/(frameworks|package|react)\//,
  /^packages\/client\/.*\/session\/browser-(binding|origin|tabs)\./,
  /^packages\/session\/.*\/browser\./,
  /^packages\/client\/.*\/solver\/(browser|bundler|hashwx-browser)\./,
  /^tests\/dist\/(helm|monitoring)\//,
  /^tests\/dist\/(compose|compose-system|systemd)\./,
  /^tests\/dist\/demo\/demo-page-.*\./,
  /^tests\/dist\/docs\/server-samples\./,
  /^tests\/dist\/doctor\//,
  /^tests\/dist\/e2e\/personal-data\./,
  /^tests\/dist\/gateway\/(forward-auth|gate|gateway-programs|hostile-.*|planted-cookies)\./,
];

/** Tests that need only Node: `npm run test:nodes` runs them on each supported line. */
const onEveryNode = [
  /^shared\/.*\/test\/(config|crypto|messages|pow)\/[^/]*$/,
  /^shared\/.*\/http\/(server\/headers|tokens\/tokens)\./,
  /^shared\/.*\/store\/configured-store\./,
  /^services\/[^/]*\/dist\/test\/domain\//,
  /^services\/challenge-service\/.*\/(image\/draw|presets\/presets)\./,
  /^services\/session-service\/.*\/(directory\/embedded-directory|passwords\/password-hash)\./,
  /^packages\/client\/.*\/solver\/(kernels|solver)\./,
  /^packages\/verify\/.*\/(form-inputs|outcomes)\./,
];

/** The files of `npm run test:fast`: no browser, store server or other process. */
const fast = [
  ...onEveryNode,
  /^packages\/client\/dist\/test\/size\./,
  /^packages\/client\/.*\/element\/texts\./,
  /^packages\/client\/.*\/session\/(bearer-fetch|login-logout|properties|tabs)\./,
  /^packages\/client\/.*\/session\/(refresh-call|refresh-schedule)\./,
  /^packages\/(session|verify)\/.*\/size\./,
  /^tests\/dist\/compose\./,
  /^tests\/dist\/docs\/(pages|variables-table)\./,
  /^tests\/dist\/gateway\/gateway\./,
  /^tests\/dist\/launcher\/(local-environment|logs)\./,
  /^services\/[^/]*\/dist\/test\/listeners\./,
  /^services\/challenge-service\/.*\/(operator-module|renderer\/pools)\./,
  /^services\/session-service\/dist\/test\/config\./,
  /^services\/session-service\/.*\/directory\/module-directory\./,
  /^services\/session-service\/.*\/passwords\/(hashing|sign-in)\./,
  /^shared\/.*\/(audit\/flood-gate|cache\/bounded-maps)\./,
  /^shared\/.*\/challenges\/(attempts\/pseudonyms|store\/records|types\/challenge-types)\./,
  /^shared\/.*\/http\/(errors\/error-handler|observability\/health|observability\/logger)\./,
  /^shared\/.*\/http\/server\/(rate-limit|schemas|server-options)\./,
];

/**
 * Returns the compiled test files of a command, from the project's root.
 * @param {'test' | 'rest' | 'all' | 'fast' | 'every-node'} command
 */
export function testFiles(command) {
  const product = productTests.flatMap(filesIn).sort();
  const among = (patterns) => (path) => patterns.some((pattern) => pattern.test(path));
  switch (command) {
    case 'rest':
      return [...labTests.flatMap(filesIn).sort(), ...product.filter(among(slow))];
    case 'all':
      return [...labTests.flatMap(filesIn).sort(), ...product];
    case 'fast':
      return product.filter(among(fast));
    case 'every-node':
      return product.filter(among(onEveryNode));
    default:
      return product.filter((path) => !among(slow)(path));
  }
}

function filesIn(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .filter((path) => path.endsWith('.test.js'))
    .map((path) => `${folder}/${path}`);
}
