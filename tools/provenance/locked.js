// Packages by the lock file: where they are installed, and their dependencies.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './packages.js';

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

/**
 * Returns the paths of packages and all their dependencies, as the lock file installs them; links lead to the workspace.
 * @param {readonly string[]} paths such as node_modules/fastify, or a workspace's folder
 * @param {object} options
 * @param {boolean} options.optional whether to follow optional dependencies and optional peers
 * @param {readonly string[]} [options.without] names of packages not to follow
 */
export function withDependencies(paths, { optional, without = [] }) {
  const found = new Set();
  const add = (path) => {
    if (path === undefined || found.has(path)) return;
    found.add(path);
    const names = namesNeeded(packages[path], optional).filter((name) => !without.includes(name));
    for (const name of names) add(installedFor(path, name));
  };
  for (const path of paths) add(path);
  return [...found];
}

/** Returns the locked name, version and licence of a path from `withDependencies`. */
export function lockedPackage(path) {
  const { name = path.split('node_modules/').at(-1), version, license: licence } = packages[path];
  return { name, version, licence, manifest: {} };
}

function namesNeeded(locked, optional) {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = locked;
  const isNeeded = (name) => optional || peerDependenciesMeta[name]?.optional !== true;
  const peers = Object.keys(peerDependencies ?? {}).filter(isNeeded);
  return [...Object.keys({ ...dependencies, ...(optional && optionalDependencies) }), ...peers];
}

/** Where Node resolves a package that another one imports; undefined if it is not installed. */
function installedFor(path, name) {
  const folders = path
    .split('/node_modules/')
    .map((_, at, parts) => parts.slice(0, at + 1).join('/node_modules/'));
  const places = [
    ...folders.reverse().map((folder) => `${folder}/node_modules/${name}`),
    `node_modules/${name}`,
  ];
  const place = places.find((place) => place in packages);
  return packages[place]?.link ? packages[place].resolved : place;
}
