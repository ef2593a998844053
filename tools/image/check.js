// `npm run image:check`: builds both images without a container engine, inspects them, and logs in at their services.
//
// Requires Linux, root, and the packages buildah, debootstrap, redis-server and strace.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readArguments } from '../arguments.js';
import { giveUp, prepare, root, run } from '../prepare.js';
import { baseName, makeBase } from './base.js';
import { Buildah } from './buildah.js';
import { examineImage } from './examine.js';
import { examineProvenance } from './provenance.js';
import { trySystem } from './try-system.js';

const USAGE = `usage: npm run image:check [-- [--state FOLDER] [--pull]]
  --state FOLDER   keeps the base and the layers for the next run; by default a temporary folder is removed at the end
  --pull           pulls the base from a registry instead of building it from Debian and npm packages`;

const targets = ['session-service', 'challenge-service'];

/** Build arguments for the labels. */
const labels = {
  REVISION: run('git', ['rev-parse', 'HEAD']).output,
  CREATED: run('git', ['log', '-1', '--format=%cI']).output,
};

const { values: options } = readArguments(USAGE, {
  options: { state: { type: 'string' }, pull: { type: 'boolean', default: false } },
});
if (process.getuid?.() !== 0) giveUp('image:check must run as root: it mounts file systems.');
for (const program of ['buildah', 'redis-server', 'strace', ...(options.pull ? [] : ['debootstrap'])]) {
  if (!run(program, ['--version']).ok) giveUp(`image:check needs ${program}: apt-get install ${program}`);
}
prepare();

const folder =
  options.state === undefined ? mkdtempSync(join(tmpdir(), 'tollgate-images-')) : resolve(options.state);
mkdirSync(folder, { recursive: true });
const buildah = new Buildah(folder);
let failures = 0;
try {
  if (!options.pull && !buildah.has(baseName())) {
    console.log(`Making ${baseName()} …`);
    makeBase(buildah, join(folder, 'downloads'));
  }
  for (const target of targets) build(target);
  for (const target of targets) {
    console.log(`\n${target}`);
    await examineImage(buildah, imageOf(target), report);
    await examineProvenance(buildah, imageOf(target), labels, report);
  }
  console.log('\nBoth images with a local Redis');
  await trySystem(buildah, { session: imageOf(targets[0]), challenge: imageOf(targets[1]) }, folder, report);
} finally {
  buildah.read('rm', '--all');
  if (options.state === undefined) rmSync(folder, { recursive: true, force: true });
}
console.log(failures === 0 ? '\nAll image checks passed.' : `\n${failures} FAILED`);
process.exitCode = failures === 0 ? 0 : 1;

function imageOf(target) {
  return `localhost/tollgate/${target}`;
}

function build(target) {
  console.log(`Building ${target} …`);
  const file = join(root, 'deploy', 'Dockerfile');
  const args = { ...labels, ...(!options.pull && { NODE_IMAGE: baseName() }) };
  buildah.read(
    'build',
    ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ...['--isolation', 'chroot', '--layers', '--format', 'docker', options.pull ? '--pull' : '--pull=never'],
    ...[
      '--file',
      file,
      '--ignorefile',
      `${file}.dockerignore`,
      '--target',
      target,
      '--tag',
      imageOf(target),
      root,
    ],
  );
}

function report(title, ok, details = '') {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${title}${details === '' ? '' : `: ${details}`}`);
  if (!ok) failures += 1;
}
