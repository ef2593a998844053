// Checks the labels of an image, its licence texts and its bill of materials.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../prepare.js';
import { noticesFile } from '../provenance/notices.js';
import { installedPackages } from '../provenance/packages.js';
import { sbomFile } from '../provenance/sbom.js';

const label = (name) => `org.opencontainers.image.${name}`;

/**
 * @param {{ REVISION: string, CREATED: string }} built the build arguments
 * @param report receives a title, whether the check passed, and details
 */
export function examineProvenance(buildah, image, built, report) {
  const { Labels = {} } = JSON.parse(buildah.read('inspect', '--type', 'image', image)).Docker.config;
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const wanted = { version, licenses: 'MIT', revision: built.REVISION, created: built.CREATED };
  for (const [name, value] of Object.entries(wanted)) {
    report(`label ${name}`, Labels[label(name)] === value, Labels[label(name)]);
  }
  for (const name of ['title', 'description', 'base.name'])
    report(`label ${name}`, Boolean(Labels[label(name)]));

  const container = buildah.read('from', '--pull-never', image);
  const top = buildah.read('mount', container);
  const documents = join(top, 'usr', 'share', 'doc');
  const text = (...path) => readFileSync(join(documents, ...path), 'utf8');
  const isThere = (...path) => existsSync(join(top, ...path));
  const { components } = JSON.parse(text('tollgate', sbomFile));
  const listed = new Set(components.map(({ group, name }) => (group ? `${group}/${name}` : name)));
  const notices = text('tollgate', noticesFile);
  const missing = (title, names) => report(title, names.length === 0, names.slice(0, 3).join(', '));

  const debian = readdirSync(join(top, 'var', 'lib', 'dpkg', 'status.d'));
  missing(
    'every Debian package has its copyright file',
    debian.filter((name) => !isThere('usr', 'share', 'doc', name, 'copyright')),
  );
  report('Node has its licence', text('node', 'LICENSE').includes('OpenSSL'));
  const installed = installedPackages(join(top, 'app')).map(({ name }) => name);
  missing(
    'the bill of materials lists every package in the image',
    ['node', ...debian, ...installed].filter((name) => !listed.has(name)),
  );
  const npm = components.filter(
    ({ purl = '', group }) => purl.startsWith('pkg:npm/') && group !== '@tollgate',
  );
  missing(
    'each package of npm has a licence text',
    npm.filter(
      ({ group, name, version }) => !notices.includes(`\n${group ? `${group}/` : ''}${name} ${version} (`),
    ),
  );
  if (listed.has('@tollgate/client')) {
    const fonts = ['README.md', 'LICENSE-Apache-2.0.txt', 'LICENSE-OFL-1.1.txt'].map(
      (name) => `app/services/challenge-service/fonts/${name}`,
    );
    missing(
      'the fonts have licences and notice of changes',
      fonts.filter((path) => !isThere(path)),
    );
  }
  report(`${components.length} components`, components.length > 0);
  buildah.read('umount', container);
}
