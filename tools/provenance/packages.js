// The npm packages that files belong to, with their licence texts.
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root; in an image build, a folder with its manifest and licence. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

const licenceFile = /^(licen[cs]e|copying|copyright|notice|ofl|unlicense)([-.]|$)/i;
const readme = /^readme(\.|$)/i;
const grant = /permission is hereby granted|redistribution and use/i;

/**
 * @typedef {object} Package
 * @property {string} name
 * @property {string} version
 * @property {string} licence SPDX expression
 * @property {string} folder
 * @property {Record<string, unknown>} manifest
 */

/** Returns the ids of the modules of which a bundle contains code. */
export function modulesIn(output) {
  const modules = output.flatMap((chunk) => Object.entries(chunk.modules ?? {}));
  return modules.filter(([, { renderedLength }]) => renderedLength > 0).map(([id]) => id);
}

/**
 * Returns the packages that a bundle's modules come from, sorted, ours among them.
 * @param {Iterable<string>} modules the bundler's module ids
 * @returns {Package[]}
 */
export function packagesOf(modules) {
  const folders = [...modules].map((id) => {
    // Code of the bundler itself.
    const [, bundler] = /^\0(rolldown|vite)\//.exec(id) ?? [];
    if (bundler !== undefined) return join(root, 'node_modules', bundler);
    return existsSync(id) ? packageFolder(realpathSync(id)) : undefined;
  });
  return sorted([...new Set(folders)].filter((folder) => folder !== undefined).map(readPackage));
}

/** Whether the package is one of ours. */
export function isOurs({ name }) {
  return name.startsWith('@tollgate/');
}

/**
 * Returns the packages installed in a folder, at any depth, sorted; ours, which are links, are skipped.
 * @returns {Package[]}
 */
export function installedPackages(folder) {
  const manifests = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name === 'package.json',
  );
  const folders = manifests
    .map(({ parentPath }) => parentPath)
    .filter((path) => /(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/.test(relative(folder, path)));
  return sorted(folders.map(readPackage).filter((each) => !isOurs(each)));
}

/** @returns {Package} */
export function readPackage(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { name, version, license } = manifest;
  if (typeof license !== 'string') throw new Error(`${name}: package.json names no licence`);
  return { name, version, licence: license, folder, manifest };
}

/**
 * Returns the licence texts and notices of a package. Sources, in this order: files of the package, also of code that it
 * has copied; the package that installs it for one platform; its README; the standard text of the declared licence.
 * @throws Error if there is none
 */
export function licenceTexts({ name, licence, folder, manifest }) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && licenceFile.test(entry.name) && !/\.[cm]?[jt]sx?$/.test(entry.name))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter((file) => !file.includes('node_modules/'));
  const found = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const hasOwn = files.some((file) => !file.includes('/'));
  const text = hasOwn
    ? undefined
    : (ofParent(name, folder) ?? ofReadme(folder) ?? standardText(licence, manifest));
  const texts = text === undefined ? found : [text, ...found];
  if (texts.length === 0) throw new Error(`${name}: no licence text`);
  return [...new Set(texts)];
}

function packageFolder(file) {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    // Folders of a package may have a manifest with only a type.
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version) return folder;
  }
  return undefined;
}

/** `@node-rs/argon2-linux-x64-gnu` is a part of `@node-rs/argon2`. */
function ofParent(name, folder) {
  const parts = name.split('-');
  for (let length = parts.length - 1; length > 0; length -= 1) {
    const parent = join(
      folder,
      ...name.split('/').map(() => '..'),
      ...parts.slice(0, length).join('-').split('/'),
    );
    if (!existsSync(join(parent, 'package.json'))) continue;
    const { manifest } = readPackage(parent);
    if (!(name in (manifest.optionalDependencies ?? {}))) continue;
    const file = readdirSync(parent).find((entry) => licenceFile.test(entry));
    if (file !== undefined) return readFileSync(join(parent, file), 'utf8').trim();
  }
  return undefined;
}

/** The section of the README that grants the licence. */
function ofReadme(folder) {
  const file = readdirSync(folder).find((entry) => readme.test(entry));
  if (file === undefined) return undefined;
  const [, section = ''] = readFileSync(join(folder, file), 'utf8').split(/^#+ *licen[cs]e.*$/im);
  return grant.test(section) ? section.trim() : undefined;
}

function standardText(licence, { author }) {
  if (licence !== 'MIT') return undefined;
  const holder = typeof author === 'string' ? author : author?.name;
  if (holder === undefined) return undefined;
  const ours = readFileSync(join(root, 'LICENSE'), 'utf8');
  return `MIT License\n\nCopyright (c) ${holder}\n\n${ours.slice(ours.indexOf('Permission is hereby granted')).trim()}`;
}

function sorted(packages) {
  const byKey = new Map(packages.map((each) => [`${each.name}@${each.version}`, each]));
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}
