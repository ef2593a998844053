// Makes `canvas` load for the tests, where the registry has no compiled one for this machine.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { find, installWithApt } from './apt.js';
import { keep } from './kept.js';
import { giveUp, npmCommand, root, run, runBeside } from './prepare.js';

const aptPackages =
  'build-essential pkg-config libcairo2-dev libpango1.0-dev libjpeg-dev libgif-dev librsvg2-dev python3'.split(
    ' ',
  );
const libraries = ['pixman-1', 'cairo', 'libpng', 'pangocairo', 'freetype2', 'libjpeg', 'librsvg-2.0'];
/** What its own build defines where all libraries are there. */
const defined = [
  'NODE_GYP_MODULE_NAME=canvas',
  'NAPI_DISABLE_CPP_EXCEPTIONS',
  'NODE_ADDON_API_ENABLE_MAYBE',
  'HAVE_JPEG',
  'HAVE_GIF',
  'HAVE_RSVG',
  'BUILDING_NODE_EXTENSION',
];

/** Makes it load, which takes a compiler some seconds: start it beside other work. */
export async function provideCanvas() {
  if (await loadsCanvas()) return;
  if (canCompile() && ((await compileAtOnce()) || (await rebuild()))) return;
  await installWithApt(aptPackages);
  if ((await compileAtOnce()) || (await rebuild())) return;
  giveUp(`The tests need canvas, which does not compile here: install ${aptPackages.join(' ')}.`);
}

const canCompile = () => find(['g++']) && run('pkg-config', ['--exists', ...libraries]).ok;

const { resolve } = createRequire(join(root, 'services', 'challenge-service', 'package.json'));

/** In a process of its own, because a failed load of a native module can stay in the cache. */
async function loads(path) {
  return (await runBeside(process.execPath, ['-e', `require(${JSON.stringify(path)})`])).ok;
}

async function loadsCanvas() {
  try {
    return await loads(resolve('canvas'));
  } catch {
    return false;
  }
}

/**
 * Puts it where it belongs, compiled now or for an earlier clone.
 * @returns whether it loads
 */
async function compileAtOnce() {
  const include = join(dirname(dirname(process.execPath)), 'include', 'node');
  if (process.platform !== 'linux' || !existsSync(join(include, 'node_api.h'))) return false;
  const flags = run('pkg-config', ['--cflags', '--libs', ...libraries]);
  if (!flags.ok) return false;
  const folder = dirname(resolve('canvas/package.json'));
  const headers = [include, dirname(createRequire(join(folder, 'package.json')).resolve('node-addon-api'))];
  const options = [
    ...['-O0', '-w', '-fPIC', '-pthread', '-std=gnu++17', '-fno-rtti', '-shared'],
    ...defined.map((name) => `-D${name}`),
  ];
  const libraryOptions = [...flags.output.split(/\s+/), '-lgif'];
  const name = `canvas-${process.platform}-${process.arch}-${hashOf(folder, [...options, ...libraryOptions])}`;
  const compile = (part) =>
    compileInto(part, join(folder, 'src'), [
      ...options,
      ...headers.map((path) => `-I${path}`),
      ...libraryOptions,
    ]);
  const kept = await keep(name, compile, { works: (place) => loads(join(place, 'canvas.node')) });
  if (kept === undefined) return false;
  const output = join(folder, 'build', 'Release');
  mkdirSync(output, { recursive: true });
  copyFileSync(join(kept, 'canvas.node'), join(output, 'copy.node'));
  renameSync(join(output, 'copy.node'), join(output, 'canvas.node'));
  return loadsCanvas();
}

/** What the compiled part depends on: its sources, how they are compiled, and the line of Node. */
function hashOf(folder, options) {
  const hash = createHash('sha256').update(`${process.versions.modules} ${options.join(' ')}\n`);
  const sources = readdirSync(join(folder, 'src'), { recursive: true, withFileTypes: true });
  const paths = sources
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  for (const path of [...paths.sort(), join(folder, 'package.json')]) hash.update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

/**
 * Compiles all its sources as one, so that the headers, which take a compiler longest, are read once: a quarter of the
 * processor time of its own build. What draws is in libraries of the system: this little need not be optimised.
 * @returns whether it is compiled
 */
async function compileInto(part, sources, options) {
  console.log('Compiling canvas …');
  const source = join(part, 'all.cc');
  writeFileSync(source, allSources(sources));
  // The libraries come after what needs them.
  const { ok } = await runBeside('g++', ['-o', join(part, 'canvas.node'), source, ...options]);
  rmSync(source);
  return ok;
}

/**
 * Text that includes all sources. `color.cc` comes first: with what the others include, a name of it has two meanings.
 * One header has no guard, and the compiler reads once only what is imported.
 */
function allSources(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => /(?<!^color)\.cc$/.test(name));
  const lines = [
    '#include "color.cc"',
    '#import "InstanceData.h"',
    ...files.sort().map((name) => `#include "${name}"`),
  ];
  return lines.map((line) => `${line.replace('"', `"${folder}/`)}\n`).join('');
}

/** Its own build, with as many compilers at once as there are processors. @returns whether it loads */
async function rebuild() {
  console.log('Compiling canvas …');
  const npmArguments = ['rebuild', 'canvas', '--ignore-scripts=false', '--loglevel=error'];
  const [npm, args, options] = npmCommand(npmArguments);
  const env = { ...process.env, JOBS: 'max', CXXFLAGS: '-O1' };
  return (await runBeside(npm, args, { ...options, env })).ok && loadsCanvas();
}
