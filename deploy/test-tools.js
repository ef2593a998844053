// What the tests need besides Node: Redis, PostgreSQL, gateways, browsers. What is there is used.
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { provideBoundBrowser } from './bound-browser.js';
import { provideHelm } from './helm-tools.js';
import { giveUp, run, runBeside } from './prepare.js';

/**
 * Finds each tool, else installs it where that is possible, else ends the process with one line. Firefox and WebKit
 * may be missing: their tests are skipped, and a line says so. So may Chromium 150, Prometheus, Helm, HAProxy and PyJWT.
 * What takes long goes on beside the caller's work.
 * @returns {Promise<Record<'CHROMIUM' | 'CHROMIUM_DBSC' | 'CHROMIUM_SHELL' | 'FIREFOX' | 'WEBKIT_DRIVER' | 'XVFB' | 'CADDY' | 'NGINX' | 'PROMETHEUS' | 'PROMTOOL'
 * | 'HAPROXY' | 'PYJWT', string>>} variables that tell the tests where programs are; empty for what is missing
 */
export async function provideTools() {
  provide(['redis-server', 'valkey-server'], 'redis-server', 'a Redis server');
  provide(['initdb'], 'postgresql', 'a PostgreSQL server (package postgresql)', postgresFolders);
  const chromium = provide(
    ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    'chromium',
    'Chromium',
  );
  const caddy = provide(['caddy'], 'caddy', 'Caddy 2.5 or newer');
  const nginx = provide(['nginx'], 'nginx', 'nginx');
  const firefox = provideIfPossible(['firefox-esr', 'firefox'], 'firefox-esr', 'Firefox');
  const driver = provideIfPossible(['WebKitWebDriver'], 'webkit2gtk-driver', 'WebKit');
  const xvfb = provideIfPossible(['Xvfb'], 'xvfb', 'WebKit');
  const haproxy = provideIfPossible(['haproxy'], 'haproxy', 'HAProxy');
  const prometheus = provideIfPossible(['prometheus'], 'prometheus', 'Prometheus');
  const promtool = provideIfPossible(['promtool'], 'prometheus', 'Prometheus');
  const shell = provideShell();
  const python = await providePyJwt();
  return {
    CHROMIUM: chromium,
    CHROMIUM_DBSC: await provideBoundBrowser(chromium),
    CHROMIUM_SHELL: shell,
    FIREFOX: firefox,
    WEBKIT_DRIVER: driver,
    XVFB: xvfb,
    CADDY: caddy,
    NGINX: nginx,
    PROMETHEUS: prometheus,
    PROMTOOL: promtool,
    HAPROXY: haproxy,
    PYJWT: python,
  };
}

/** @param furtherFolders says which folders beside the PATH hold the programs now */
function provide(names, aptPackage, what, furtherFolders = () => []) {
  const found = find(names, furtherFolders());
  if (found) return found;
  installWithApt([aptPackage]);
  return (
    find(names, furtherFolders()) ??
    giveUp(`The tests need ${what}: install ${names.join(' or ')} so that it is on the PATH.`)
  );
}

/** As `provide`, but without it an engine is not tested. @returns an empty text when it is missing */
function provideIfPossible(names, aptPackage, engine) {
  if (!find(names)) installWithApt([aptPackage]);
  const found = find(names);
  if (found) return found;
  console.log(`*** ${engine} IS NOT TESTED: install ${aptPackage} so that ${names[0]} is on the PATH. ***`);
  return '';
}

/**
 * Chromium without the parts of a desktop's browser: pages cost a third of the processor time there. Without it the
 * tests use the whole browser. @returns an empty text when it is missing
 */
function provideShell() {
  const name = 'chromium-headless-shell';
  if (!find([name]) && run('apt-cache', ['show', name]).ok) installWithApt([name]);
  return find([name]) ?? '';
}

/** @returns the Python that has PyJWT; an empty text when none has */
async function providePyJwt() {
  const python = '/usr/bin/python3';
  const hasIt = async () => (await runBeside(python, ['-c', 'import jwt, cryptography'])).ok;
  if (await hasIt()) return python;
  installWithApt(['python3-jwt', 'python3-cryptography']);
  if (await hasIt()) return python;
  console.log('*** PyJWT IS NOT TESTED: install python3-jwt and python3-cryptography. ***');
  return '';
}

function find(names, furtherFolders = []) {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/bin',
    '/usr/local/bin',
    '/usr/sbin',
    ...furtherFolders,
  ];
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path));
}

/** Debian keeps the server's programs off the PATH, by version. */
function postgresFolders() {
  const versions = '/usr/lib/postgresql';
  if (!existsSync(versions)) return [];
  return readdirSync(versions).map((version) => join(versions, version, 'bin'));
}

/** Makes Helm and the types of Kubernetes available, which takes some seconds: start it beside other work. */
export async function provideChartTools() {
  if (provideIfPossible(['unzip'], 'unzip', 'Helm')) await provideHelm();
}

/** Installs packages of Debian, where that is allowed. */
export function installWithApt(packages) {
  if (process.getuid?.() !== 0 || !find(['apt-get'])) return;
  console.log(`Installing ${packages.join(' ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['update', '-qq'], { env });
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env });
}
