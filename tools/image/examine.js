// Inspects an image: its user, its size, and content that it must not have.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../prepare.js';

const largestMegabytes = 220;
const source = /\.([cm]?tsx?|map|tsbuildinfo)$/;
/** The two folders that a container may write to. */
const writable = ['data', 'tmp'];

/** @param report receives a title, whether the check passed, and details */
export async function examineImage(buildah, image, report) {
  const config = JSON.parse(buildah.read('inspect', '--type', 'image', image)).Docker.config;
  report('the user is numeric and not root', /^[1-9]\d*:[1-9]\d*$/.test(config.User), config.User);
  report('it has a health check', config.Healthcheck?.Test?.length > 0);

  const container = buildah.read('from', '--pull-never', image);
  const top = buildah.read('mount', container);
  const files = entriesOf(top).map((entry) => ({
    path: relative(top, join(entry.parentPath, entry.name)),
    entry,
  }));
  const bytes = sizeOf(files.map(({ path }) => join(top, path)));
  const megabytes = bytes / 1e6;
  report(
    `it is smaller than ${largestMegabytes} MB`,
    megabytes < largestMegabytes,
    `${megabytes.toFixed(0)} MB`,
  );

  const named = (pattern) => files.map(({ path }) => path).filter((path) => pattern.test(path));
  expectNone(report, 'no sources and no source maps', named(source));
  const [, service] = /services\/([^/]+)\/dist\/bundle\/server\.js$/.exec(config.Cmd.at(-1)) ?? [];
  report('it starts the bundle of the service', service !== undefined, config.Cmd.join(' '));
  const compiled = named(/\/dist\/bundle\/\.compile-cache\//);
  report('it has the compile cache of the bundle', compiled.length === 1);
  if (service === 'challenge-service') {
    const copies = named(/^app\/services\/challenge-service\/dist\/browser\/tollgate\.js(\.br|\.gz)?$/);
    report('it has the browser file with its compressed copies', copies.length === 3);
  }
  expectNone(
    report,
    'no bundled file is there twice',
    named(new RegExp(`^app/(services/${service}/dist/src/(server|app)\\.js|node_modules/fastify/)`)),
  );
  expectNone(report, 'no tests', named(/^app\/(shared|services\/[^/]+|tools)\/.*\btest\//));
  expectNone(
    report,
    'no shell and no package manager',
    named(/\bs?bin\/(sh|bash|dash|busybox|apt|dpkg|npm|npx)$/),
  );
  expectNone(report, 'no development packages', developmentPackages(top));
  const modes = files.map(({ path }) => ({ path, ...lstatSync(join(top, path)) }));
  expectNone(
    report,
    'no setuid or setgid file',
    modes.filter(({ mode }) => (mode & 0o6000) !== 0).map(toPath),
  );
  const open = modes.filter(({ path, mode, uid }) => {
    const isLink = (mode & 0o170000) === 0o120000;
    return !isLink && !writable.includes(path) && (uid !== 0 || (mode & 0o002) !== 0);
  });
  expectNone(report, `nothing writable except ${writable.join(' and ')}`, open.map(toPath));
  buildah.read('umount', container);
}

function toPath({ path }) {
  return path;
}

function entriesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true });
}

/** Total size of the files, with hard links counted once. */
function sizeOf(paths) {
  const sizes = new Map();
  for (const path of paths) {
    const stat = lstatSync(path);
    if (stat.isFile()) sizes.set(stat.ino, stat.size);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

/** Installed packages that are development dependencies in the lock file. */
function developmentPackages(top) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const ofDevelopment = Object.entries(packages).filter(
    ([path, { dev }]) => dev === true && path.includes('node_modules/'),
  );
  return ofDevelopment
    .map(([path]) => path)
    .filter((path) => lstatSync(join(top, 'app', path), { throwIfNoEntry: false }));
}

function expectNone(report, title, found) {
  const shown = found.slice(0, 3).join(', ');
  report(title, found.length === 0, found.length === 0 ? '' : `${found.length}, such as ${shown}`);
}
