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

const python = '/usr/bin/python3';
const packagesOfPyJwt = ['python3-jwt', 'python3-cryptography'];

/**
 * Installs the programs that are missing, where that is possible; nothing of the clone is needed for it.
 * @returns {Promise<{ hadPyJwt: boolean }>}
 */
export async function installTools() {
  const missing = programs.filter((program) => !pathOf(program));
  const packagesOf = (some) => some.map(({ aptPackage }) => aptPackage);
  const common = packagesOf(missing.filter(({ isRare }) => !isRare));
  const rare = packagesOf(missing.filter(({ isRare }) => isRare));
  const hadPyJwt = await hasPyJwt();
  await installWithApt([...new Set([...common, ...(hadPyJwt ? [] : packagesOfPyJwt)])], rare);
  return { hadPyJwt };
}

/**
 * Finds each tool, and makes those that Debian does not have. Firefox and WebKit may be missing: their tests are skipped,
 * and a line says so. So may Chromium 150, Prometheus, Helm, HAProxy and PyJWT. All of it goes on beside the caller's
 * work; what must not be missing, `requireTools` says afterwards.
 * @param {ReturnType<typeof installTools>} installed
 * @returns {Promise<Record<'CHROMIUM' | 'CHROMIUM_DBSC' | 'CHROMIUM_SHELL' | 'FIREFOX' | 'WEBKIT_DRIVER' | 'XVFB' | 'CADDY' | 'NGINX' | 'PROMETHEUS' | 'PROMTOOL'
 * | 'HAPROXY' | 'PYJWT', string>>} variables that tell the tests where programs are; empty for what is missing
 */
export async function provideTools(installed) {
  const { hadPyJwt } = await installed;
  const variables = {};
  for (const program of programs) {
    const path = provide(program);
    if (program.variable) variables[program.variable] = path;
  }
  const [bound, pyJwt] = await Promise.all([
    provideBoundBrowser(variables.CHROMIUM),
    providePyJwt(hadPyJwt),
    provideCanvas(),
    find(['unzip']) && provideHelm(),
  ]);
  return { ...variables, CHROMIUM_DBSC: bound, PYJWT: pyJwt };
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

async function hasPyJwt() {
  return (await runBeside(python, ['-c', 'import jwt, cryptography'])).ok;
}

/** @returns the Python that has PyJWT; an empty text when none has */
async function providePyJwt(hadIt) {
  if (hadIt || (await hasPyJwt())) return python;
  console.log(`*** PyJWT IS NOT TESTED: install ${packagesOfPyJwt.join(' and ')}. ***`);
  return '';
}

/** Debian keeps the server's programs off the PATH, by version. */
function postgresFolders() {
  const versions = '/usr/lib/postgresql';
  if (!existsSync(versions)) return [];
  return readdirSync(versions).map((version) => join(versions, version, 'bin'));
}
