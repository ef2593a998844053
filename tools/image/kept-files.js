// Prints the files that an image needs beside its service's bundle, one path per line: compiled files and packages that
// commands and workers load, and packages that cannot be bundled.
//
//   node tools/image/kept-files.js SERVICE [FOLDER…]
//       FOLDER has further programs, such as tools/dist/src/doctor
import { readdirSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { unbundledPackages } from '../dist/src/launcher/service-program.js';
import { root } from '../prepare.js';
import { withDependencies } from '../provenance/locked.js';

/** canvas needs them only for its installation. */
const installers = ['node-addon-api', 'prebuild-install'];
const [service, ...folders] = process.argv.slice(2);
const compiled = `services/${service}/dist/src`;
const programs = [`${compiled}/cli`, ...folders].flatMap(filesIn);
const workers = filesIn(compiled).filter((path) => path.endsWith('-worker.js'));
const loaded = await loadedBy([...programs, ...workers]);
const own = loaded.filter((path) => !path.includes('node_modules/'));
const imported = loaded.filter((path) => path.includes('node_modules/')).map(packageOf);
const unbundled = unbundledPackages.map((name) => `node_modules/${name}`);
const needed = withDependencies(unbundled, { optional: true, without: installers });
console.log([...new Set([...own, ...imported, ...needed])].sort().join('\n'));

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
