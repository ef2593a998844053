// Packed archive: its files, its types in another project's compiler, and its size in a bundle.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { build } from 'vite';
import { compile, installClient } from './installed-package.js';
import { templateConsumers } from './template-consumers.js';

const installed = installClient(t);
const manifest = JSON.parse(readFileSync(join(installed.client, 'package.json'), 'utf8'));

const consumer = `
import { createChallenge, type ChallengeState, fetchImageChallenge, openSolver } from '@tollgate/client/challenge';
import { TollgateChallenge } from '@tollgate/client/element';
import { useChallenge, useSession } from '@tollgate/client/react';
import { createSession, type Session } from '@tollgate/client/session';
import { createElement } from 'react';

export const session: Session = createSession({ baseUrl: 'https://auth.example.com' });
export const state: ChallengeState = createChallenge({ image: 'always', solver: openSolver() }).state;
export const address: Promise<string> = fetchImageChallenge().then(({ url }) => url);
export const element: TollgateChallenge | null = document.querySelector('tollgate-challenge');
element?.form?.addEventListener('tollgate-error', ({ detail }) => detail.code === 'offline');
// @ts-expect-error no such code
element?.addEventListener('tollgate-error', ({ detail }) => detail.code === 'broken');

export function Form() {
  const { controller, fields, submit } = useChallenge({ fields: { captcha: 'letters' } });
  const { status } = useSession(session);
  const token: string | undefined = fields['pow_token'];
  const onSubmit = () => submit((fields) => session.login({ email: '', password: '', ...fields }));
  return createElement('form', { onSubmit, title: \`\${status} \${token}\` },
    <tollgate-challenge controller={controller} image="always" start="load" hold-submit onstatuschange={() => {}} />);
}
// @ts-expect-error no such image
export const wrong = <tollgate-challenge image="sometimes" />;
// @ts-expect-error no such option
createSession({ colour: 'red' });
`;

t.test('the archive contains compiled code, types and provenance, and nothing else', async (t) => {
  const files = installed.files();
  t.strictSame(
    files.filter(
      (file) =>
        !/^(package\.json|LICENSE|README\.md|dist\/(THIRD-PARTY-LICENSES\.txt|(sbom|tollgate)\.cdx\.json|classic\.js|tollgate(\/[a-z-]+)?\.js|src\/[a-z0-9/-]+(\.d\.ts|\.js)))$/.test(
          file,
        ),
    ),
    [],
  );
  const scripts = files.filter((file) => /^dist\/src\/.*\.js$/.test(file));
  for (const file of scripts) t.ok(files.includes(file.replace(/\.js$/, '.d.ts')), `types of ${file}`);
  for (const name of ['worker', 'wasm-kernels', 'js-kernel']) {
    t.ok(scripts.includes(`dist/src/solver/${name}.js`), name);
  }
});

t.test('it has no dependencies, and every framework may be missing', async (t) => {
  t.notOk('dependencies' in manifest);
  t.same(Object.keys(manifest.peerDependencies), [
    '@angular/core',
    'preact',
    'react',
    'solid-js',
    'svelte',
    'vue',
  ]);
  for (const name of Object.keys(manifest.peerDependencies)) {
    t.same(manifest.peerDependenciesMeta[name], { optional: true }, name);
  }
  const foreign = new Set<string>();
  for (const file of installed.files().filter((file) => /\.(js|d\.ts)$/.test(file))) {
    const code = readFileSync(join(installed.client, file), 'utf8');
    for (const [, name = ''] of code.matchAll(/(?:\bfrom|\bimport|\bimport\() ?'([^']+)'/g)) {
      if (!name.startsWith('./') && !name.startsWith('../')) foreign.add(`${file}: ${name}`);
    }
  }
  const isOfReact = (line: string) => /^dist\/src\/react\/[a-z-]+(\.d\.ts|\.js): react$/.test(line);
  t.same([...foreign].filter((line) => !isOfReact(line)).sort(), [
    'dist/src/angular.d.ts: @angular/core',
    'dist/src/angular.js: @angular/core',
    'dist/src/solid.d.ts: solid-js',
    'dist/src/solid.js: solid-js',
    'dist/src/svelte.js: svelte',
    'dist/src/types/preact.d.ts: preact',
    'dist/src/types/solid.d.ts: solid-js',
    'dist/src/types/svelte.d.ts: svelte/elements',
    'dist/src/types/vue.d.ts: vue',
    'dist/src/types/vue.d.ts: vue/jsx-runtime',
    'dist/src/vue.d.ts: vue',
    'dist/src/vue.js: vue',
  ]);
});

t.test('every public entry exists and resolves to code and types', async (t) => {
  const files = installed.files().map((file) => `./${file}`);
  for (const [name, { types, default: code }] of Object.entries<Record<string, string>>(manifest.exports)) {
    t.ok(files.includes(types ?? '') && files.includes(code ?? ''), name);
  }
  for (const file of manifest.sideEffects) t.ok(files.includes(file), file);
});

/** Compiles files in the project with the installed package. @returns the compiler's output */
function compileStrictly(files: readonly string[], resolution: string, skipLibCheck: boolean): string {
  writeFileSync(
    join(installed.folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'es2023',
        lib: ['es2023', 'dom', 'dom.iterable'],
        module: resolution === 'bundler' ? 'esnext' : 'nodenext',
        moduleResolution: resolution,
        jsx: 'react-jsx',
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck,
        noEmit: true,
      },
      files,
    }),
  );
  return compile(installed.folder);
}

for (const resolution of ['bundler', 'nodenext']) {
  t.test(`its types are right for a strict compiler (${resolution})`, async (t) => {
    writeFileSync(join(installed.folder, 'consumer.tsx'), consumer);
    t.equal(compileStrictly(['consumer.tsx'], resolution, false), '');
  });

  t.test(`the element has types in each framework (${resolution})`, async (t) => {
    for (const [file, code] of Object.entries(templateConsumers)) {
      writeFileSync(join(installed.folder, file), code);
    }
    // Do not check the frameworks' own declarations.
    t.equal(compileStrictly(Object.keys(templateConsumers), resolution, true), '');
  });
}

t.test('the prebuilt file is small, and needs no other files except language texts', async (t) => {
  const code = readFileSync(join(installed.client, 'dist', 'tollgate.js'), 'utf8');
  const bytes = gzipSync(code).length;
  t.ok(bytes < 36_000, `${bytes} bytes`);
  t.notMatch(code, /\bfrom\s*['"`]|\.map\b\s*$/);
  const loaded = [...code.matchAll(/\bimport\s*\(\s*[`'"]([^`'"]*)/g)].map(([, file = '']) => file);
  t.same(
    loaded.filter((file) => !/^\.\/tollgate\/[a-z-]+\.js$/.test(file)),
    [],
    'except language texts',
  );
  t.ok(loaded.length >= 2);
  for (const file of loaded) t.ok(installed.files().includes(`dist/${file.slice(2)}`), file);
});

t.test('on a server, importing the element or the prebuilt file does nothing', async (t) => {
  const before = Object.keys(globalThis);
  const element = await import(pathToFileURL(join(installed.client, 'dist', 'src', 'element.js')).href);
  const prebuilt = await import(pathToFileURL(join(installed.client, 'dist', 'tollgate.js')).href);
  t.same(Object.keys(globalThis), before);
  t.equal('customElements' in globalThis, false);
  t.same(Object.keys(element).sort(), ['TollgateChallenge', 'addLanguage']);
  for (const name of ['TollgateChallenge', 'addLanguage', 'createChallenge', 'createSession']) {
    t.type(prebuilt[name], 'function', name);
  }
});

/** Bundles a page with these lines. @returns its code and files */
async function bundle(code: string) {
  const page = join(installed.folder, 'page.js');
  writeFileSync(page, code);
  const built = await build({
    root: installed.folder,
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: {
        input: page,
        preserveEntrySignatures: 'strict',
        external: ['react', 'vue', 'solid-js', 'svelte', '@angular/core'],
      },
    },
  });
  if (!('output' in built)) throw new Error('nothing was built');
  const [{ code: bundled }] = built.output;
  return { code: bundled, files: built.output.length, bytes: gzipSync(bundled).length };
}

t.test('a bundler includes only used code', async (t) => {
  const one = await bundle(`export { fetchImageChallenge } from '@tollgate/client/challenge';`);
  t.equal(one.files, 1, 'no worker');
  t.notMatch(one.code, /Worker|visibilitychange/);
  t.ok(one.bytes < 1_000, `${one.bytes} bytes`);

  const none = await bundle(`import '@tollgate/client/challenge';\nexport const nothing = 0;`);
  t.ok(none.bytes < 100, `${none.bytes} bytes for an import that is not used`);

  const element = await bundle(`import '@tollgate/client/element';`);
  t.match(element.code, /customElements/, 'importing the element defines it');

  const worker = await bundle(`import '@tollgate/client/solver/worker.js';`);
  t.match(worker.code, /postMessage/, 'the worker can be bundled as a separate file');
});

t.test('each hook adds less than 1 kB to its dependencies', async (t) => {
  const bytesOf = async (line: string) => (await bundle(line)).bytes;
  const create = await bytesOf(`export { createChallenge } from '@tollgate/client/challenge';`);
  for (const framework of ['react', 'vue', 'solid', 'svelte', 'angular']) {
    const prefix = framework === 'angular' ? 'inject' : 'use';
    const bytesOfHook = (name: string) =>
      bytesOf(`export { ${prefix}${name} } from '@tollgate/client/${framework}';`);
    const session = await bytesOfHook('Session');
    const challenge = (await bytesOfHook('Challenge')) - create;
    t.ok(session < 1_000, `${framework}, session: ${session} bytes`);
    t.ok(challenge < 1_000, `${framework}, challenge: ${challenge} bytes`);
    t.comment(`${framework}: session ${session} bytes, challenge ${challenge} bytes`);
  }
});
