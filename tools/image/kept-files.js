// Prints the files that an image needs beside its service's bundle, one path per line: compiled files and packages that
// commands and workers load, and packages that cannot be bundled.
//
//   node tools/image/kept-files.js SERVICE [FOLDER…]
//       FOLDER has further programs, such as tools/dist/src/doctor
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { unbundledPackages } from '../dist/src/launcher/service-program.js';
import { root } from '../prepare.js';

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const [service, ...folders] = process.argv.slice(2);
const compiled = `services/${service}/dist/src`;
const programs = [`${compiled}/cli`, ...folders].flatMap(filesIn);
const workers = filesIn(compiled).filter((path) => path.endsWith('-worker.js'));
const loaded = await loadedBy([...programs, ...workers]);
const own = loaded.filter((path) => !path.includes('node_modules/'));
const imported = loaded.filter((path) => path.includes('node_modules/')).map(packageOf);
const unbundled = unbundledPackages.map((name) => `node_modules/${name}`);
console.log([...own, ...withDependencies([...imported, ...unbundled])].sort().join('\n'));

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => `${folder}/${file}`);
}

/** The files that programs import, including the programs. */
async function loadedBy(files) {
  const build = await rolldown({
    input: files.map((file) => join(root, file)),
    platform: 'node',
    tsconfig: false,
    // Of an extension, commands load only its commands.
    external: [...unbundledPackages, /-extension\.js$/],
    treeshake: false,
    logLevel: 'silent',
  });
  const { output } = await build.generate();
  await build.close();
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  return modules.filter((id) => id.startsWith('/')).map((id) => relative(root, realpathSync(id)));
}

/** The folder of a file's package. */
function packageOf(path) {
  const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
  return folder;
}

/** The packages and all their dependencies, where the lock file installs them. */
function withDependencies(paths) {
  const found = new Set();
  const add = (path) => {
    if (path === undefined || found.has(path)) return;
    found.add(path);
    const { dependencies, optionalDependencies, peerDependencies } = packages[path];
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    for (const name of names) add(installedFor(path, name));
  };
  for (const path of paths) add(path);
  return [...found];
}

/** Where Node resolves a package that another one imports; undefined if it is not installed. */
function installedFor(path, name) {
  const folders = path
    .split('/node_modules/')
    .map((_, at, parts) => parts.slice(0, at + 1).join('/node_modules/'));
  const places = [
    ...folders.reverse().map((folder) => `${folder}/node_modules/${name}`),
    `node_modules/${name}`,
  ];
  return places.find((place) => place in packages);
}
