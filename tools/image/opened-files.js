// Finds packages and libraries in an image that no command has opened.
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { installedPackages } from '../provenance/packages.js';

/** Loaded by pg only on Cloudflare, and only where PostgreSQL asks for a password that USERS_URL lacks. */
const rare = ['pg-cloudflare', 'pgpass', 'split2'];

/** @param report receives a title, whether the check passed, and details */
export function examineOpened(buildah, container, report) {
  const top = buildah.read('mount', container);
  const opened = [...buildah.opened(container)].flatMap((path) => inImage(top, path) ?? []);
  const packages = installedPackages(join(top, 'app')).filter(({ name }) => !rare.includes(name));
  const folders = packages.map(({ folder }) => relative(top, folder));
  const libraries = readdirSync(join(top, 'usr', 'lib'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.so(\.|$)/.test(entry.name))
    .map(({ parentPath, name }) => relative(top, join(parentPath, name)));
  const unopened = [
    ...folders.filter((folder) => !opened.some((path) => path.startsWith(`${folder}/`))),
    ...libraries.filter((path) => !opened.includes(path)),
  ];
  const title = `${container}: every package and library is opened`;
  report(title, opened.length > 0 && unopened.length === 0, unopened.join(', '));
  buildah.read('umount', container);
}

/** The path in the image without links; undefined if the image lacks it. */
function inImage(top, path) {
  const outside = join(top, path.startsWith('/') ? '' : 'app', path);
  if (!existsSync(outside)) return undefined;
  // Links in the image are relative, or lead to its root.
  const folder = realpathSync(dirname(outside));
  return relative(realpathSync(top), join(folder, path.split('/').at(-1)));
}
