// Bundles each service into dist/bundle: a start reads a few files instead of a thousand, in half the time. Also writes the
// browser files that challenge-service serves, licence texts beside each bundle, and the bills of materials of bundles and
// published packages.
//
//   node tools/bundle.js
//       run after `tsc -b` and `packages/client/bundle.js`; does nothing if the output is newer than its sources
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeBrowserFiles } from './browser-files.js';
import { serviceNames } from './dist/src/launcher/local-environment.js';
import { bundleOf, isBundleFresh, unbundledPackages } from './dist/src/launcher/service-program.js';
import { root } from './prepare.js';
import { writeArchiveSbom } from './provenance/archive.js';
import { noticesFile, noticesOf } from './provenance/notices.js';
import { isOurs, modulesIn, packagesOf, readPackage } from './provenance/packages.js';
import { npmComponent, sbomFile, sbomOf } from './provenance/sbom.js';

const program = join(root, 'tools/bundled-server.js');
const provenance = join(root, 'tools/provenance');

const isUpToDate = (name) =>
  isBundleFresh(name) &&
  [
    fileURLToPath(import.meta.url),
    program,
    join(root, 'tools/dist/src/launcher/service-program.js'),
    join(root, 'package-lock.json'),
    ...readdirSync(provenance).map((name) => join(provenance, name)),
  ].every((file) => statSync(file).mtimeMs < statSync(bundleOf(name)).mtimeMs);

writeBrowserFiles();
for (const folder of ['shared', ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)]) {
  writeArchiveSbom(join(root, folder));
}
const outdated = serviceNames.filter((name) => !isUpToDate(name));
await Promise.all(outdated.map(bundle));

async function bundle(name) {
  const { rolldown } = await import('rolldown');
  const folder = dirname(bundleOf(name));
  const service = await rolldown({
    input: { service: join(root, 'services', name, 'dist/src/server.js') },
    platform: 'node',
    // Sources are compiled first; an image build has only some of the projects in the configuration.
    tsconfig: false,
    external: unbundledPackages,
    plugins: [compiledBy(folder)],
  });
  // Not minified: stack traces keep function names, and comments keep file names.
  const options = {
    dir: folder,
    cleanDir: true,
    format: 'cjs',
    chunkFileNames: '[name]-[hash].cjs',
    entryFileNames: '[name].cjs',
    // Puts all code of a start into `service.cjs`, whose compiled code is kept. By default, code that two extensions share
    // goes into a chunk of its own, and takes most of the rest along.
    codeSplitting: { groups: [{ name: 'initial', tags: ['$initial'] }] },
    sourcemap: true,
    // The same mode as the modules.
    strict: true,
  };
  const { output } = await service.write(options);
  for (const { type, fileName } of output) {
    const file = join(folder, fileName);
    if (type !== 'chunk') continue;
    const code = toAscii(readFileSync(file, 'utf8'));
    writeFileSync(file, fileName === 'service.cjs' ? importByProgram(code) : code);
  }
  await service.close();
  writeProvenance(name, folder, output);
  // Not copied with its modification time, as some systems do: that time is the bundle's age.
  writeFileSync(bundleOf(name), readFileSync(program));
}

/** Writes the licence texts and the bill of materials of the packages that the bundler included. */
function writeProvenance(name, folder, output) {
  const packages = packagesOf(modulesIn(output));
  const service = readPackage(join(root, 'services', name));
  const bundled = packages.filter((each) => each.name !== service.name);
  // Its browser files are served beside the bundle.
  if (name === 'challenge-service') bundled.push(readPackage(join(root, 'packages/client')));
  const notices = noticesOf(
    `the bundle of ${service.name}`,
    packages.filter((each) => !isOurs(each)),
  );
  writeFileSync(join(folder, noticesFile), notices);
  const subject = npmComponent(service, 'application');
  writeFileSync(
    join(folder, sbomFile),
    sbomOf(
      subject,
      bundled.map((each) => npmComponent(each)),
    ),
  );
}

/** Lets the bundle's program use run-time imports, which a script cannot do by itself. */
function importByProgram(code) {
  const replaced = code.replaceAll('await import(', 'await __import(');
  const withoutComments = replaced.replaceAll(/^\s*\/?\*.*$/gm, '');
  if (/\bimport\(/.test(withoutComments)) throw new Error('The bundle has an import() without await.');
  return replaced;
}

/** Escapes non-ASCII characters: one character outside Latin-1 doubles the program's memory. */
function toAscii(code) {
  return code.replace(/[\u0080-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Our modules still find files relative to their compiled location, and source maps lead to TypeScript. */
function compiledBy(folder) {
  return {
    name: 'compiled-modules',
    transform(code, id) {
      if (id.includes('node_modules') || !id.startsWith(root)) return undefined;
      const url = `new URL(${JSON.stringify(relative(folder, id))}, import.meta.url).href`;
      return {
        code: code.replaceAll('import.meta.url', url),
        map: JSON.parse(readFileSync(`${id}.map`, 'utf8')),
      };
    },
  };
}
