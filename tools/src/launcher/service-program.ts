// Which file runs a service, and how: its bundle, or its compiled code where that is newer; and what no bundle holds.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, type ServiceName } from './local-environment.js';

/** Stay packages beside the bundles: they load native code, or start workers from files of their own. */
export const unbundledPackages = [
  '@napi-rs/canvas',
  '@node-rs/argon2',
  '@node-rs/bcrypt',
  '@photostructure/sqlite',
  'canvas',
  'piscina',
];

/**
 * How Node runs a service. By default it lets young objects take up to 16 MB in each of three spaces before it collects
 * them, which costs a service 20 MB after load and saves no time.
 */
export const nodeOptions = ['--max-semi-space-size=4'] as const;

/**
 * Variables that the C library of Linux reads. By default each of the ten threads of a service gets a pool of memory of its
 * own, which keeps what the largest piece of work of that thread took: ten megabytes after load, and more with time.
 */
export const processVariables = { MALLOC_ARENA_MAX: '2' } as const;

/**
 * Returns the path of the program. A bundle that is older than the code in it is passed over, so that a change shows
 * once it is compiled.
 */
export function programOf(name: ServiceName, root = projectRoot): string {
  return isBundleFresh(name, root) ? bundleOf(name, root) : compiledProgramOf(name, root);
}

/** Returns the path of the compiled program, which every version has. */
export function compiledProgramOf(name: ServiceName, root = projectRoot): string {
  return join(root, 'services', name, 'dist/src/server.js');
}

/** The path of the bundle that `tools/bundle.js` writes. Its other files are in the same folder. */
export function bundleOf(name: ServiceName, root = projectRoot): string {
  return join(root, 'services', name, 'dist/bundle/server.js');
}

/** Whether there is a bundle, newer than all of our code in it. */
export function isBundleFresh(name: ServiceName, root = projectRoot): boolean {
  const bundle = bundleOf(name, root);
  if (!existsSync(bundle)) return false;
  const bundledMs = statSync(bundle).mtimeMs;
  const folders = ['shared/dist/src', `services/${name}/dist/src`, `services/${name}/dist/extensions`];
  return folders
    .map((folder) => join(root, folder))
    .filter(existsSync)
    .every((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.js'))
        .every((file) => statSync(join(folder, file)).mtimeMs < bundledMs),
    );
}
