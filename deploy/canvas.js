// Makes `canvas` load for the tests, where the registry has no compiled one for this machine.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { giveUp, npmCommand, root, run, runBeside } from './prepare.js';
import { installWithApt } from './test-tools.js';

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
  console.log('Compiling canvas …');
  if ((await compileAtOnce()) || (await rebuild())) return;
  installWithApt(aptPackages);
  if ((await compileAtOnce()) || (await rebuild())) return;
  giveUp(`The tests need canvas, which does not compile here: install ${aptPackages.join(' ')}.`);
}

const { resolve } = createRequire(join(root, 'services', 'challenge-service', 'package.json'));

/** In a process of its own, because a failed load of a native module can stay in the cache. */
async function loadsCanvas() {
  try {
    const program = `require(${JSON.stringify(resolve('canvas'))})`;
    return (await runBeside(process.execPath, ['-e', program])).ok;
  } catch {
    return false;
  }
}

/**
 * Compiles all its sources as one, so that the headers, which take a compiler longest, are read once: a quarter of the
 * processor time of its own build. What draws is in libraries of the system: this little need not be optimised.
 * @returns whether it loads
 */
async function compileAtOnce() {
  const include = join(dirname(dirname(process.execPath)), 'include', 'node');
  if (process.platform !== 'linux' || !existsSync(join(include, 'node_api.h'))) return false;
  const flags = run('pkg-config', ['--cflags', '--libs', ...libraries]);
  if (!flags.ok) return false;
  const folder = dirname(resolve('canvas/package.json'));
  const output = join(folder, 'build', 'Release');
  mkdirSync(output, { recursive: true });
  const source = join(output, 'all.cc');
  writeFileSync(source, allSources(join(folder, 'src')));
  const compiled = join(output, 'all.node');
  const headers = [include, dirname(createRequire(join(folder, 'package.json')).resolve('node-addon-api'))];
  const { ok } = await runBeside('g++', [
    ...['-O0', '-w', '-fPIC', '-pthread', '-std=gnu++17', '-fno-rtti', '-shared'],
    ...defined.map((name) => `-D${name}`),
    ...headers.map((path) => `-I${path}`),
    ...['-o', compiled, source],
    ...flags.output.split(/\s+/),
    '-lgif',
  ]);
  rmSync(source);
  if (ok) renameSync(compiled, join(output, 'canvas.node'));
  return ok && loadsCanvas();
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
  const npmArguments = ['rebuild', 'canvas', '--ignore-scripts=false', '--loglevel=error'];
  const [npm, args, options] = npmCommand(npmArguments);
  const env = { ...process.env, JOBS: 'max', CXXFLAGS: '-O1' };
  return (await runBeside(npm, args, { ...options, env })).ok && loadsCanvas();
}
