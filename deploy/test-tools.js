// What the tests need besides Node: Redis, PostgreSQL, gateways, browsers. What is there is used.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { find, installWithApt } from './apt.js';
import { provideBoundBrowser } from './bound-browser.js';
import { provideCanvas } from './canvas.js';
import { provideHelm } from './helm-tools.js';
import { giveUp, runBeside } from './prepare.js';

/**
 * @typedef {object} Program
 * @property {string} [variable] tells the tests where it is
 * @property {readonly string[]} names
 * @property {string} aptPackage
 * @property {string} [needed] what the tests cannot do without
 * @property {string} [untested] what is not tested without it
 * @property {boolean} [isRare] whether only some systems have the package
 * @property {() => string[]} [folders] that hold it, beside the PATH
 */

/** @type {readonly Program[]} */
const programs = [
  { names: ['redis-server', 'valkey-server'], aptPackage: 'redis-server', needed: 'a Redis server' },
  {
    names: ['initdb'],
    aptPackage: 'postgresql',
    needed: 'a PostgreSQL server (package postgresql)',
    folders: postgresFolders,
  },
  {
    variable: 'CHROMIUM',
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    aptPackage: 'chromium',
    needed: 'Chromium',
  },
  { variable: 'CADDY', names: ['caddy'], aptPackage: 'caddy', needed: 'Caddy 2.5 or newer' },
  { variable: 'NGINX', names: ['nginx'], aptPackage: 'nginx', needed: 'nginx' },
  {
    variable: 'FIREFOX',
    names: ['firefox-esr', 'firefox'],
    aptPackage: 'firefox-esr',
    untested: 'Firefox',
  },
  {
    variable: 'WEBKIT_DRIVER',
    names: ['WebKitWebDriver'],
    aptPackage: 'webkit2gtk-driver',
    untested: 'WebKit',
  },
  { variable: 'XVFB', names: ['Xvfb'], aptPackage: 'xvfb', untested: 'WebKit' },
  { variable: 'HAPROXY', names: ['haproxy'], aptPackage: 'haproxy', untested: 'HAProxy' },
  // A web server that accepts an upgrade to HTTP/2 without TLS (h2c), behind the gateways.
  { variable: 'HYPERCORN', names: ['hypercorn'], aptPackage: 'python3-hypercorn', untested: 'h2c' },
  {
    variable: 'PGBOUNCER',
    names: ['pgbouncer'],
    aptPackage: 'pgbouncer',
    untested: 'PgBouncer',
    folders: () => ['/usr/sbin'],
  },
  { variable: 'PROMETHEUS', names: ['prometheus'], aptPackage: 'prometheus', untested: 'Prometheus' },
  { variable: 'PROMTOOL', names: ['promtool'], aptPackage: 'prometheus', untested: 'Prometheus' },
  // Chromium without the parts of a desktop's browser: pages cost a third of the processor time there. Without it the
  // tests use the whole browser.
  {
    variable: 'CHROMIUM_SHELL',
    names: ['chromium-headless-shell'],
    aptPackage: 'chromium-headless-shell',
    isRare: true,
  },
  { names: ['unzip'], aptPackage: 'unzip', untested: 'Helm' },
];

/**
 * @typedef {object} Library
 * @property {string} variable tells the tests which program has it
 * @property {string} name
 * @property {string} program Debian's, because the package is for that one
 * @property {readonly string[]} loads arguments with which the program ends with 0 if it has the library
 * @property {readonly string[]} aptPackages
 */

const python = '/usr/bin/python3';

/** Libraries of other languages, which meet the services as applications. @type {readonly Library[]} */
const libraries = [
  {
    variable: 'PYJWT',
    name: 'PyJWT',
    program: python,
    loads: ['-c', 'import jwt, cryptography'],
    aptPackages: ['python3-jwt', 'python3-cryptography'],
  },
  {
    variable: 'PYTHON_REQUESTS',
    name: 'Requests of Python',
    program: python,
    loads: ['-c', 'import requests'],
    aptPackages: ['python3-requests'],
  },
  {
    variable: 'RUBY_RECAPTCHA',
    name: 'reCAPTCHA with Ruby',
    program: '/usr/bin/ruby',
    loads: ['-e', 'require "recaptcha"'],
    aptPackages: ['ruby-recaptcha'],
  },
  {
    variable: 'PERL_RECAPTCHA',
    name: 'reCAPTCHA with Perl',
    program: '/usr/bin/perl',
    loads: ['-MCaptcha::reCAPTCHA', '-e', '1'],
    aptPackages: ['libcaptcha-recaptcha-perl'],
  },
  {
    variable: 'PHP_RECAPTCHA',
    name: 'reCAPTCHA with PHP',
    program: '/usr/bin/php',
    loads: ['-r', 'require "ReCaptcha/autoload.php";'],
    aptPackages: ['php-cli', 'php-google-recaptcha'],
  },
];

/**
 * Installs the programs that are missing, where that is possible; nothing of the clone is needed for it.
 * @returns {Promise<ReadonlySet<Library>>} the libraries that were there
 */
export async function installTools() {
  const missing = programs.filter((program) => !pathOf(program));
  const loaded = await Promise.all(libraries.map(loads));
  const packagesOf = (some) => some.map(({ aptPackage }) => aptPackage);
  const common = packagesOf(missing.filter(({ isRare }) => !isRare));
  const rare = packagesOf(missing.filter(({ isRare }) => isRare));
  const present = new Set(libraries.filter((_, at) => loaded[at]));
  const absent = libraries.filter((library) => !present.has(library));
  const forLibraries = absent.flatMap(({ aptPackages }) => aptPackages);
  await installWithApt([...new Set([...common, ...forLibraries])], rare);
  return present;
}

/**
 * Finds each tool, and makes those that Debian does not have. Firefox and WebKit may be missing: their tests are skipped,
 * and a line says so. So may Chromium 150, Prometheus, Helm, HAProxy, Hypercorn, PgBouncer and the libraries. All of it goes on beside the caller's
 * work; what must not be missing, `requireTools` says afterwards.
 * @param {ReturnType<typeof installTools>} installed
 * @returns {Promise<Record<'CHROMIUM' | 'CHROMIUM_DBSC' | 'CHROMIUM_SHELL' | 'FIREFOX' | 'WEBKIT_DRIVER' | 'XVFB' | 'CADDY' | 'NGINX' | 'PROMETHEUS' | 'PROMTOOL'
 * | 'HAPROXY' | 'HYPERCORN' | 'PGBOUNCER' | 'PYJWT' | 'PYTHON_REQUESTS' | 'RUBY_RECAPTCHA' | 'PERL_RECAPTCHA' | 'PHP_RECAPTCHA', string>>} variables that tell the tests where programs are; empty for what is missing
 */
export async function provideTools(installed) {
  const present = await installed;
  const variables = {};
  for (const program of programs) {
    const path = provide(program);
    if (program.variable) variables[program.variable] = path;
  }
  const [bound, paths] = await Promise.all([
    provideBoundBrowser(variables.CHROMIUM),
    Promise.all(libraries.map((library) => provideLibrary(library, present.has(library)))),
    provideCanvas(),
    find(['unzip']) && provideHelm(),
  ]);
  for (const [at, { variable }] of libraries.entries()) variables[variable] = paths[at];
  return { ...variables, CHROMIUM_DBSC: bound };
}

/** @param {Program} program */
const pathOf = ({ names, folders }) => find(names, folders?.());

/** Ends the process with one line where a program is missing that the tests cannot do without. */
export function requireTools() {
  const program = programs.find((program) => program.needed && !pathOf(program));
  if (program === undefined) return;
  const { names, needed } = program;
  giveUp(`The tests need ${needed}: install ${names.join(' or ')} so that it is on the PATH.`);
}

/**
 * @param {Program} program
 * @returns its path, or an empty text
 */
function provide(program) {
  const { names, aptPackage, untested } = program;
  const path = pathOf(program);
  if (path) return path;
  if (untested) {
    console.log(
      `*** ${untested} IS NOT TESTED: install ${aptPackage} so that ${names[0]} is on the PATH. ***`,
    );
  }
  return '';
}

/** @param {Library} library */
async function loads({ program, loads }) {
  return existsSync(program) && (await runBeside(program, loads)).ok;
}

/**
 * @param {Library} library
 * @param {boolean} wasThere
 * @returns {Promise<string>} the program that has the library; an empty text when none has
 */
async function provideLibrary(library, wasThere) {
  const { name, program, aptPackages } = library;
  if (wasThere || (await loads(library))) return program;
  console.log(`*** ${name} IS NOT TESTED: install ${aptPackages.join(' and ')}. ***`);
  return '';
}

/** Debian keeps the server's programs off the PATH, by version. */
function postgresFolders() {
  const versions = '/usr/lib/postgresql';
  if (!existsSync(versions)) return [];
  return readdirSync(versions).map((version) => join(versions, version, 'bin'));
}
