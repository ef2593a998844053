// The program of a service and its Node options: the bundle, or newer compiled code; and packages that cannot be bundled.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, type ServiceName } from './local-environment.js';

/** Remain packages beside the bundles: they load native code, or start workers from their own files. */
export const unbundledPackages = [
  '@napi-rs/canvas',
  '@node-rs/argon2',
  '@node-rs/bcrypt',
  '@photostructure/sqlite',
  'canvas',
  'piscina',
];

/**
 * Node options of a service. In a container of 512 MB, V8 would reserve 1 MB for young objects. With too little, objects of
 * requests in flight survive collections, and V8 allocates later ones as old: with 4 MB and 50 requests in flight, an issue
 * takes half as much time again.
 */
export const nodeOptions = ['--max-semi-space-size=16'] as const;

/**
 * Variables of Linux's C library. By default, each of a service's ten threads gets its own memory pool, which stays at the
 * size of that thread's largest task: ten megabytes after load, and growing.
 */
export const processVariables = { MALLOC_ARENA_MAX: '2' } as const;

/**
 * Returns the path of the program. A bundle older than its code is ignored, so that compiled changes take effect.
 */
export function programOf(name: ServiceName, root = projectRoot): string {
  return isBundleFresh(name, root) ? bundleOf(name, root) : compiledProgramOf(name, root);
}

/** Returns the path of the compiled program, which every version has. */
export function compiledProgramOf(name: ServiceName, root = projectRoot): string {
  return join(root, 'services', name, 'dist/src/server.js');
}

/** Path of the bundle that `tools/bundle.js` writes. Its other files are in the same folder. */
export function bundleOf(name: ServiceName, root = projectRoot): string {
  return join(root, 'services', name, 'dist/bundle/server.js');
}

/** Whether there is a bundle newer than all our code in it. */
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
