// Writes licence texts and bill of materials of an assembled image: the service's bundle, installed packages, fonts, Node
// and Debian's libraries.
//
//   node tools/provenance/image.js SERVICE IMAGE
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { noticesFile, noticesOf } from './notices.js';
import { installedPackages, readPackage, root } from './packages.js';
import { licencesOf, npmComponent, sbomFile, sbomOf } from './sbom.js';

const [service, image] = process.argv.slice(2);
const app = join(image, 'app');
const bundle = join(app, 'services', service, 'dist', 'bundle');
const documents = join(image, 'usr', 'share', 'doc', 'tollgate');

const bundled = JSON.parse(readFileSync(join(bundle, sbomFile), 'utf8'));
const installed = installedPackages(app);
const ours = readPackage(join(app, 'services', service));
const components = [
  ...bundled.components,
  ...[...installed, ...ownPackages()].map((each) => npmComponent(each)),
  ...fonts(),
  nodeComponent(),
  ...debianPackages(),
];
const byRef = new Map(components.map((each) => [each['bom-ref'], each]));
const subject = {
  ...npmComponent(ours),
  type: 'container',
  'bom-ref': 'image',
  group: 'tollgate',
  purl: undefined,
};

mkdirSync(documents, { recursive: true });
copyFileSync(join(root, 'LICENSE'), join(documents, 'LICENSE'));
const texts = [
  readFileSync(join(bundle, noticesFile), 'utf8'),
  noticesOf('the folders node_modules', installed),
];
writeFileSync(join(documents, noticesFile), texts.join(`\n${'='.repeat(80)}\n\n`));
writeFileSync(join(documents, sbomFile), sbomOf(subject, [...byRef.values()]));
for (const file of [noticesFile, sbomFile]) rmSync(join(bundle, file));

/** Our packages beside the service: of its commands, and of doctor. */
function ownPackages() {
  const folders = ['shared', 'tools', join('services', service)].map((folder) => join(app, folder));
  return folders.filter((folder) => existsSync(join(folder, 'package.json'))).map(readPackage);
}

/** The fonts by the table in their README, which also states the changes. */
function fonts() {
  const folder = join(app, 'services', service, 'fonts');
  if (!existsSync(folder)) return [];
  const rows = readFileSync(join(folder, 'README.md'), 'utf8').matchAll(
    /^\| `([^`]+)` \| (.+?) \((.*)\).*? \| (\S+) \| \[([^\]]+)\].*? \| (.+?) \|$/gm,
  );
  const byFile = new Map(
    [...rows].map(([, file, name, , version, licence, copyright]) => [
      file,
      { type: 'data', 'bom-ref': `font:${file}`, name, version, copyright, licenses: licencesOf(licence) },
    ]),
  );
  const files = readdirSync(folder).filter((file) => file.endsWith('.ttf'));
  return files.map((file) => {
    const font = byFile.get(file);
    if (font === undefined) throw new Error(`fonts/README.md has no row for ${file}`);
    return font;
  });
}

/** Node with the libraries compiled into it. */
function nodeComponent() {
  const { node, modules, napi, ...libraries } = process.versions;
  return {
    type: 'application',
    'bom-ref': `pkg:generic/node@${node}`,
    name: 'node',
    version: node,
    cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/node@${node}`,
    licenses: [{ license: { name: 'see /usr/share/doc/node/LICENSE' } }],
    components: Object.entries(libraries).map(([name, version]) => ({
      type: 'library',
      'bom-ref': `node/${name}@${version}`,
      name,
      version,
    })),
  };
}

function debianPackages() {
  const status = join(image, 'var', 'lib', 'dpkg', 'status.d');
  const { ID, VERSION_ID } = Object.fromEntries(
    [...readFileSync(join(image, 'etc', 'os-release'), 'utf8').matchAll(/^(\w+)="?([^"\n]*)"?$/gm)].map(
      ([, key, value]) => [key, value],
    ),
  );
  return readdirSync(status).map((name) => {
    const text = readFileSync(join(status, name), 'utf8');
    const field = (key) => new RegExp(`^${key}: (.*)$`, 'm').exec(text)?.[1];
    const version = field('Version');
    const copyright = join('usr', 'share', 'doc', name, 'copyright');
    if (!existsSync(join(image, copyright))) throw new Error(`${name}: no copyright file`);
    const qualifiers = `arch=${field('Architecture')}&distro=${ID}-${VERSION_ID}`;
    const purl = `pkg:deb/${ID}/${encodeURIComponent(name)}@${encodeURIComponent(version)}?${qualifiers}`;
    const licenses = [{ license: { name: `see /${copyright}` } }];
    return { type: 'library', 'bom-ref': purl, name, version, purl, licenses };
  });
}
