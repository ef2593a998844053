// Licence texts and bills of materials of bundles, browser files and packages: complete, and valid by CycloneDX's schema.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { readProjectFile } from '@tollgate/tests/docs/project-file.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t from 'tap';
import { published } from './outside-project.js';

interface Component {
  readonly type: string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly licenses: readonly object[];
}

const { licenceTexts, readPackage } = (await import(
  new URL('../../../../tools/provenance/packages.js', import.meta.url).href
)) as { licenceTexts(described: object): string[]; readPackage(folder: string): object };

const bundles = ['session-service', 'challenge-service'].map((name) => `services/${name}/dist/bundle`);
const documents = [
  ...[...bundles, ...Object.values(published).map((folder) => `${folder}/dist`)].map(
    (folder) => `${folder}/sbom.cdx.json`,
  ),
  'packages/client/dist/tollgate.cdx.json',
];
const componentsOf = (path: string): Component[] => JSON.parse(readProjectFile(path)).components;
const nameOf = ({ group, name }: Component) => (group === undefined ? name : `${group}/${name}`);

t.test('every bill of materials is valid CycloneDX, and names a licence for each component', async (t) => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  for (const path of documents) {
    t.equal(await validator.validate(readProjectFile(path)), null, path);
    for (const component of componentsOf(path)) t.equal(component.licenses.length, 1, nameOf(component));
  }
});

/** The packages in a bundle by its source maps, which the bundler writes independently of its list of modules. */
function mappedPackages(folder: string): Set<string> {
  const maps = readdirSync(join(projectRoot, folder)).filter((name) => name.endsWith('.map'));
  const sources = maps.flatMap(
    (name) => JSON.parse(readProjectFile(`${folder}/${name}`)).sources as string[],
  );
  return new Set(
    sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.slice(1) ?? []),
  );
}

for (const folder of bundles) {
  t.test(`${folder}: each package is listed, with a licence text`, async (t) => {
    const components = componentsOf(`${folder}/sbom.cdx.json`);
    const mapped = mappedPackages(folder);
    t.ok(mapped.size > 50, String(mapped.size));
    const listed = new Set(components.map(nameOf));
    t.strictSame(
      [...mapped].filter((name) => !listed.has(name)),
      [],
    );
    const notices = readProjectFile(`${folder}/THIRD-PARTY-LICENSES.txt`);
    for (const component of components.filter(({ group }) => group !== '@tollgate')) {
      t.ok(notices.includes(`\n${nameOf(component)} ${component.version} (`), nameOf(component));
    }
    t.match(notices, /\nabstract-logging \S+ \(MIT\)\n\nMIT License\n\nCopyright \(c\) James Sumners/);
  });
}

t.test('the browser files contain only our code and helpers of the bundler', async (t) => {
  const packages = componentsOf('packages/client/dist/tollgate.cdx.json').filter(
    ({ type }) => type !== 'file',
  );
  t.strictSame(packages.map(nameOf), ['rolldown']);
  t.match(
    readProjectFile('packages/client/dist/THIRD-PARTY-LICENSES.txt'),
    /\nrolldown \S+ \(MIT\)\n\nMIT License/,
  );
});

t.test("a package's bill of materials lists its dependencies, and no optional peers", async (t) => {
  const listed = new Set(componentsOf('packages/fastify/dist/sbom.cdx.json').map(nameOf));
  for (const name of ['fastify', '@tollgate/shared', '@fastify/jwt', 'ioredis', 'avvio']) {
    t.ok(listed.has(name), name);
  }
  t.notOk(listed.has('prom-client'));
  t.strictSame(componentsOf('packages/verify/dist/sbom.cdx.json'), []);
});

t.test('a package without a licence text, or without a licence, is rejected', async (t) => {
  const write = (manifest: object) => {
    const folder = join(t.testdir({}), 'node_modules', 'bare');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'bare', version: '1.0.0', ...manifest }),
    );
    return folder;
  };
  t.throws(() => licenceTexts(readPackage(write({ license: 'Apache-2.0' }))), /bare: no licence text/);
  t.throws(() => readPackage(write({})), /bare: package.json names no licence/);
});

t.test('fonts, HashWX and its author are credited', async (t) => {
  const fonts = readdirSync(join(projectRoot, 'services/challenge-service/fonts'));
  const table = readProjectFile('services/challenge-service/fonts/README.md');
  for (const font of fonts.filter((name) => name.endsWith('.ttf')))
    t.ok(table.includes(`| \`${font}\` |`), font);
  const section = readProjectFile('docs/licences.md')
    .split('\n## ')
    .find((part) => part.startsWith('HashWX'));
  t.match(section, /tevador.*LGPL-3\.0/s);
  t.match(readProjectFile('shared/src/pow/hashwx/hashwx.wat'), /HashWX, designed by tevador/);
});

t.test('code hosts find the security policy', async (t) => {
  t.ok(existsSync(join(projectRoot, 'docs/SECURITY.md')));
});

t.test('the labels of the images name the version', async (t) => {
  const { version } = JSON.parse(readProjectFile('package.json'));
  const labels = [...readProjectFile('deploy/Dockerfile').matchAll(/image\.version="(.*)"/g)];
  t.strictSame(
    labels.map(([, value]) => value),
    [version, version],
  );
});
