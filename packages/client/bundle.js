// Builds the prebuilt files: dist/tollgate.js for pages without a bundler, its on-demand modules in dist/tollgate/, and
// dist/classic.js, which imports it from a classic script tag. For challenge-service only: dist/frame.js, the page in a
// widget frame, with the same on-demand modules, and the widget scripts in dist/drop-in/. For session-service only:
// dist/page/continue.js. dist/tollgate.cdx.json lists the published files, and dist/THIRD-PARTY-LICENSES.txt the packages in
// all of these.
//
//   node packages/client/bundle.js
//       run after packages/client/build.js; skipped if the file is newer than its code
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noticesFile, noticesOf } from '../../tools/provenance/notices.js';
import { isOurs, modulesIn, packagesOf, readPackage } from '../../tools/provenance/packages.js';
import { licencesOf, npmComponent, sbomOf } from '../../tools/provenance/sbom.js';

const sources = fileURLToPath(new URL('./dist/src/', import.meta.url));
const entry = join(sources, 'tollgate.js');
const output = fileURLToPath(new URL('./dist/tollgate.js', import.meta.url));
const billOfMaterials = fileURLToPath(new URL('./dist/tollgate.cdx.json', import.meta.url));
const languages = fileURLToPath(new URL('./dist/tollgate/', import.meta.url));
const scripts = fileURLToPath(new URL('./dist/drop-in/', import.meta.url));
const workerFiles = ["new URL('./worker.js', import.meta.url)", 'new URL(workerFile, import.meta.url)'];

/** One file is both page script and worker script, so that a site serves a single file. */
const workersLoadThisFile = {
  name: 'workers-load-this-file',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/solver/open-worker.js')) return undefined;
    const changed = workerFiles.reduce((changed, file) => {
      if (!changed.includes(file)) throw new Error(`${id} does not start its workers with ${file}`);
      return changed.replace(file, 'ownFile()');
    }, code);
    return `import { ownFile } from './own-file.js';\n${changed}`;
  },
};

/** Texts in other languages than English stay separate files: a page loads its own language. */
const languagesStayFiles = {
  name: 'languages-stay-files',
  enforce: 'pre',
  resolveId(id, importer) {
    const isLanguage = importer?.endsWith('/element/languages.js') && /\/texts\/(?!en\.js)/.test(id);
    return isLanguage ? { id: `./tollgate/${basename(id)}`, external: true } : undefined;
  },
};

/** The proof module stays a separate file, because forms without a session never load it. */
const proofStaysFile = {
  name: 'proof-stays-file',
  enforce: 'pre',
  resolveId(id, importer) {
    const isProof = importer?.endsWith('/session/environment.js') && id === './binding/device-proof.js';
    return isProof ? { id: './tollgate/proof.js', external: true } : undefined;
  },
};

const unitsImport = "import { createUnitSearch } from './hashwx/unit-search.js';";
/** Requests wait in order until the file has loaded. */
const unitsLoaded = `function createUnitSearch(options) {
  let search;
  return (request) => {
    if (request === null && search === undefined) return;
    search ??= import('./hashwx/unit-search.js').then((loaded) => loaded.createUnitSearch(options));
    void search.then((send) => send(request));
  };
}`;

const kernelImport = "import { searchSuffixes } from '../js-kernel.js';\n";
const kernelOpened = 'function openJsKernel() {';
const kernelLoaded = `async function openJsKernel() {
    const { searchSuffixes } = await import('../js-kernel.js');`;

/**
 * Rarely needed modules are a separate file: HashWX, the JavaScript kernel for long searches, console warnings, and the
 * floating display of the element.
 */
const rareStaysFile = {
  name: 'rare-stays-file',
  enforce: 'pre',
  transform(code, id) {
    if (id.endsWith('/solver/kernels/open-kernel.js')) {
      if (![kernelImport, kernelOpened].every((part) => code.includes(part)))
        throw new Error(`${id} does not open the kernel in JavaScript with ${kernelOpened}`);
      return code.replace(kernelImport, '').replace(kernelOpened, kernelLoaded);
    }
    if (!/\/solver\/(worker|main-thread-fallback)\.js$/.test(id)) return undefined;
    if (!code.includes(unitsImport)) throw new Error(`${id} does not have ${unitsImport}`);
    return code.replace(unitsImport, unitsLoaded);
  },
  resolveId: (id) =>
    /^\.\.?\/(hashwx\/unit-search|hashwx\/search|js-kernel|solver-texts|warnings|placement)\.js$/.test(id)
      ? { id: './tollgate/rare.js', external: true }
      : undefined,
};

/** Entry of that file. */
const rareEntry = {
  name: 'rare-entry',
  enforce: 'pre',
  resolveId: (id) => (id.endsWith('/rare-entry') ? 'rare-entry' : undefined),
  load(id) {
    if (id !== 'rare-entry') return undefined;
    const folder = JSON.stringify(sources).slice(1, -1);
    const parts = [
      ...['hashwx/search', 'hashwx/unit-search', 'js-kernel', 'solver-texts'].map((name) => `solver/${name}`),
      'element/warnings',
      'element/view/placement',
    ];
    return parts.map((part) => `export * from '${folder}${part}.js';`).join('\n');
  },
};

/** Entry of the widget scripts; they read their tag first. */
const vendors = {
  recaptcha: ['recaptcha'],
  hcaptcha: ['hcaptcha'],
  turnstile: ['turnstile'],
  all: ['recaptcha', 'hcaptcha', 'turnstile'],
};
const capitalised = (name) => name[0].toUpperCase() + name.slice(1);

/** Returns the entry of a widget script. */
const widgetEntry = {
  name: 'widget-entry',
  enforce: 'pre',
  resolveId: (id) => (/(^|\/)widget-entry-/.test(id) ? basename(id) : undefined),
  load(id) {
    if (!id.startsWith('widget-entry-')) return undefined;
    const names = vendors[id.slice('widget-entry-'.length)];
    const from = (name) => JSON.stringify(join(sources, 'drop-in', `${name}.js`));
    return [
      `import { readScriptTag } from ${from('script-tag')};`,
      `import { callOnload } from ${from('vendors/loading')};`,
      ...names.map((name) => `import { install${capitalised(name)} } from ${from(`vendors/${name}`)};`),
      'const script = readScriptTag();',
      ...names.map((name) => `install${capitalised(name)}(script, ${names.length === 1});`),
      'callOnload(script);',
    ].join('\n');
  },
};

/** Ids of the modules in the files. */
const modules = [];
const changedMs = (file) => statSync(file).mtimeMs;
const inputs = readdirSync(sources, { recursive: true })
  .filter((name) => name.endsWith('.js'))
  .map((name) => join(sources, name));
const isUpToDate =
  existsSync(billOfMaterials) &&
  changedMs(billOfMaterials) > Math.max(...[fileURLToPath(import.meta.url), ...inputs].map(changedMs));

if (!isUpToDate) await bundle();

async function bundle() {
  for (const folder of [languages, scripts]) rmSync(folder, { recursive: true, force: true });
  await write(entry, 'tollgate.js', [workersLoadThisFile, languagesStayFiles, rareStaysFile, proofStaysFile]);
  await write(join(sources, 'classic.js'), 'classic.js', [], 'iife');
  cpSync(join(sources, 'element', 'texts'), languages, {
    recursive: true,
    filter: (path) => !/\.(ts|map)$|\/en\.js$/.test(path),
  });
  await write('rare-entry', 'tollgate/rare.js', [rareEntry]);
  await write(join(sources, 'session', 'binding', 'device-proof.js'), 'tollgate/proof.js', []);
  await write(join(sources, 'gate.js'), 'tollgate/gate.js', []);
  await write(join(sources, 'continue.js'), 'page/continue.js', []);
  const frame = join(sources, 'drop-in', 'frame', 'frame.js');
  await write(frame, 'frame.js', [workersLoadThisFile, languagesStayFiles, rareStaysFile]);
  for (const name of Object.keys(vendors)) {
    // A classic script: clients insert the tag themselves.
    await write(`widget-entry-${name}`, `drop-in/${name}.js`, [widgetEntry], 'iife');
  }
  writeProvenance();
}

/** Writes the licences of packages in the files, which are the bundler's helpers, and the bill of materials. */
function writeProvenance() {
  const packages = packagesOf(modules).filter((each) => !isOurs(each));
  const folder = dirname(output);
  const published = readdirSync(languages).filter((name) => name !== 'gate.js');
  const files = ['tollgate.js', 'classic.js', ...published.sort().map((name) => `tollgate/${name}`)];
  const { version, licence } = readPackage(fileURLToPath(new URL('.', import.meta.url)));
  const licenses = licencesOf(licence);
  const subject = { type: 'library', 'bom-ref': 'browser-files', name: 'tollgate.js', version, licenses };
  const served = files.map((name) => ({
    type: 'file',
    'bom-ref': name,
    name,
    hashes: ['sha256', 'sha384'].map((algorithm) => ({
      alg: algorithm.replace('sha', 'SHA-'),
      content: createHash(algorithm)
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    })),
    licenses,
  }));
  writeFileSync(join(folder, noticesFile), noticesOf('the browser files', packages));
  writeFileSync(billOfMaterials, sbomOf(subject, [...served, ...packages.map((each) => npmComponent(each))]));
}

/** Writes a file into the build folder. */
async function write(input, fileName, plugins, format = 'es') {
  const { build } = await import('vite');
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    plugins,
    build: {
      outDir: fileURLToPath(new URL('./dist/', import.meta.url)),
      emptyOutDir: false,
      target: 'es2022',
      lib: { entry: input, name: 'tollgateWidgets', formats: [format], fileName: () => fileName },
      rolldownOptions: { output: { codeSplitting: false, minify: true } },
    },
  });
  modules.push(...built.flatMap(({ output }) => modulesIn(output)));
}
