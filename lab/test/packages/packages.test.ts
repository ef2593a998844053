// The published packages: their archives, their metadata, and their types in an outside project.

import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { readProjectFile } from '@tollgate/tests/docs/project-file.js';
import { listFiles, readSources } from '@tollgate/tools/docs/source-files.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t from 'tap';
import { writeSamples } from './documented-samples.js';
import { compileOutside, createOutsideProject, packInto, published, runNode } from './outside-project.js';

const packed = tempDir(t);
const archives = packInto(packed, Object.values(published));
const outside = createOutsideProject(t, archives);
const read = (path: string) => JSON.parse(readProjectFile(path));
const { version } = read('package.json');
const manifests = [
  'package.json',
  ...read('package.json').workspaces.flatMap((pattern: string) =>
    pattern.endsWith('/*')
      ? readdirSync(join(projectRoot, pattern.slice(0, -2))).map(
          (name) => `${pattern.slice(0, -1)}${name}/package.json`,
        )
      : [`${pattern}/package.json`],
  ),
];

t.test('every package has the version of the root', async (t) => {
  t.ok(manifests.length >= 8, manifests.join(', '));
  for (const path of manifests) {
    const { version: own, dependencies = {}, devDependencies = {}, peerDependencies = {} } = read(path);
    t.equal(own, version, path);
    const wanted = { ...dependencies, ...devDependencies, ...peerDependencies };
    for (const [name, range] of Object.entries(wanted)) {
      if (name.startsWith('@tollgate/')) t.equal(range, version, `${path}: ${name}`);
    }
  }
  const examples = listFiles('docs/examples', /package\.json$/);
  for (const path of [...examples, 'docs/client/README.md']) {
    const named = [...readProjectFile(path).matchAll(/tollgate-[a-z]+-(\d[^"/]*?)\.tgz/g)];
    t.ok(named.length > 0, path);
    for (const [archive, own] of named) t.equal(own, version, `${path}: ${archive}`);
  }
});

t.test('the changelog has an entry for the version', async (t) => {
  t.ok(readProjectFile('docs/changelog.md').includes(`\n## ${version}\n`));
});

t.test('the licence is MIT, and in every archive', async (t) => {
  const licence = readProjectFile('LICENSE');
  t.match(licence, /^MIT License\n\nCopyright \(c\) \d{4} the Tollgate authors\n/);
  for (const path of manifests) t.equal(read(path).license, 'MIT', path);
  for (const [archive, folder] of Object.entries(published)) {
    const installed = join(outside, 'node_modules', `@${archive.replace('-', '/')}`);
    t.equal(readFileSync(join(installed, 'LICENSE'), 'utf8'), licence, archive);
    t.equal(
      readFileSync(join(installed, 'README.md'), 'utf8'),
      readProjectFile(`${folder}/README.md`),
      archive,
    );
    t.ok(
      readFileSync(join(installed, 'dist/sbom.cdx.json'), 'utf8').includes(
        `"name": "${archive.split('-')[1]}"`,
      ),
    );
    t.notOk('private' in JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')), archive);
  }
  const fonts = readdirSync(join(projectRoot, 'services/challenge-service/fonts'));
  t.strictSame(
    fonts.filter((name) => name.startsWith('LICENSE')),
    ['LICENSE-Apache-2.0.txt', 'LICENSE-OFL-1.1.txt'],
  );
});

/** The names between the braces of imports and exports, as in their own file. */
const namesOf = (lists: Iterable<RegExpMatchArray>) =>
  [...lists].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== ''),
  );

t.test('every entry point of shared exports exactly the names that other packages import', async (t) => {
  const { exports } = read('shared/package.json') as { exports: Readonly<Record<string, object>> };
  const entries = listFiles('shared/src', /^shared\/src\/[^/]+\.ts$/).map((path) => path.slice(11, -3));
  const compiled = (name: string) => ({ types: `./dist/src/${name}.d.ts`, default: `./dist/src/${name}.js` });
  t.strictSame(exports, Object.fromEntries(entries.map((name) => [`./${name}`, compiled(name)])));
  const outside = readSources().filter(({ path }) => !path.startsWith('shared/'));
  for (const name of entries) {
    const importing = new RegExp(
      `(?:import|export) (?:type )?\\{([^}]*)\\} from '@tollgate/shared/${name}'`,
      'g',
    );
    const imported = namesOf(outside.flatMap(({ text }) => [...text.matchAll(importing)]));
    const exported = namesOf(
      readProjectFile(`shared/src/${name}.ts`).matchAll(/export (?:type )?\{([^}]*)\}/g),
    );
    t.strictSame(
      exported.map((each) => each.replace(/^default as /, '')).sort(),
      [...new Set(imported.map((each) => each.replace(/ as .*$/, '')))].sort(),
      name,
    );
  }
});

const publint = join(projectRoot, 'lab', 'node_modules', 'publint', 'src', 'cli.js');
/** Resolution modes of an ESM-only package: not from CommonJS, and not without `exports`. */
const isForModules = (problem: object) =>
  !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(String(problem.resolutionKind)));

t.test('publint has no findings', async (t) => {
  for (const archive of archives) {
    const { status, output } = runNode([publint, 'run', archive, '--strict']);
    t.equal(status, 0, output);
    t.match(output, /All good!/, archive);
  }
});

t.test('attw has no findings', async (t) => {
  for (const archive of archives) {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(archive)));
    const problems = analysis.types ? analysis.problems.filter(isForModules) : ['no types'];
    t.strictSame(problems, [], archive);
  }
});

t.test('every entry can be imported, and no other module', async (t) => {
  const code = (specifiers: readonly string[]) =>
    `for (const one of ${JSON.stringify(specifiers)}) await import(one);`;
  const load = (...specifiers: string[]) =>
    runNode(['--input-type=module', '--eval', code(specifiers)], outside);
  const frameworks = ['preact', 'solid', 'svelte', 'vue'].map((name) => `types/${name}`);
  const client = ['session', 'challenge', 'element', 'react', 'tollgate.js', ...frameworks].map(
    (name) => `@tollgate/client/${name}`,
  );
  const { status, output } = load('@tollgate/fastify', '@tollgate/verify', '@tollgate/session', ...client);
  t.equal(status, 0, output);
  for (const internal of [
    'client',
    'client/solver/kernel.js',
    'fastify/bearer-guard.js',
    'shared',
    'verify/wire.js',
    'session/key-verifier.js',
  ]) {
    t.match(load(`@tollgate/${internal}`).output, /ERR_PACKAGE_PATH_NOT_EXPORTED/, internal);
  }
});

t.test(
  '@tollgate/verify compiles strictly, with the globals of browsers and without, and runs',
  async (t) => {
    const fixture = 'typed-verifier.ts';
    copyFileSync(join(projectRoot, 'lab/test/packages', fixture), join(outside, fixture));
    for (const resolution of ['nodenext', 'bundler'] as const) {
      for (const lib of [undefined, ['es2023']]) {
        const strictness = { checkJs: false, ...(lib && { lib }) };
        t.equal(compileOutside(outside, [fixture], resolution, strictness), '', `${resolution} ${lib}`);
      }
    }
    const program = `import { createVerifier } from '@tollgate/verify';
const fetch = async () => Response.json({ success: true, captcha_required: false });
const verify = createVerifier({ hostApi: 'http://127.0.0.1:9002', key: 'key', fetch });
console.log((await verify('pow_token=x')).outcome);`;
    t.strictSame(runNode(['--input-type=module', '--eval', program], outside), {
      status: 0,
      output: 'accepted',
    });
  },
);

t.test('@tollgate/session compiles strictly, with the globals of browsers and without', async (t) => {
  const fixture = 'typed-session.ts';
  copyFileSync(join(projectRoot, 'lab/test/packages', fixture), join(outside, fixture));
  for (const resolution of ['nodenext', 'bundler'] as const) {
    for (const lib of [undefined, ['es2023']]) {
      const strictness = { checkJs: false, ...(lib && { lib }) };
      t.equal(compileOutside(outside, [fixture], resolution, strictness), '', `${resolution} ${lib}`);
    }
  }
});

t.test('every documented sample compiles', async (t) => {
  const { typed, untyped } = writeSamples(outside);
  const fixture = 'typed-application.ts';
  copyFileSync(join(projectRoot, 'lab/test/packages', fixture), join(outside, fixture));
  t.ok(untyped.length > 15, untyped.join(', '));
  for (const resolution of ['nodenext', 'bundler'] as const) {
    // The sources of the React example are for its bundler: they import without extensions.
    const files = typed.filter((path) => resolution === 'bundler' || !path.includes('react-form'));
    t.equal(compileOutside(outside, [fixture, ...files], resolution, { checkJs: false }), '', resolution);
    t.equal(compileOutside(outside, untyped, resolution, { checkJs: true }), '', `${resolution}, JavaScript`);
  }
});
