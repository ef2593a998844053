// The compared public packages: installed from the registry into a temporary folder, so that no clone requires them.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export const VERSIONS = {
  'altcha-lib': '2.8.0',
  '@cap.js/server': '4.0.5',
  jose: '6.2.17',
  'fast-jwt': '6.3.6',
  'iron-session': '8.0.4',
  express: '5.3.0',
  'express-session': '1.19.0',
  'connect-redis': '10.0.0',
  redis: '6.3.1',
  '@fastify/cookie': '11.1.5',
  '@fastify/cors': '11.4.3',
  '@fastify/session': '11.1.3',
  'better-auth': '1.7.25',
  hono: '4.13.19',
  '@hono/node-server': '2.1.9',
} as const;

/** Solvers that are large, or have many unrelated dependencies. */
export const SOLVER_VERSIONS = { '@cap.js/wasm': '0.0.6', 'friendly-challenge': '0.9.20' } as const;

/** Imports a module of the installed packages; the caller declares the used part. */
export type LoadPeer = <T>(name: string) => Promise<T>;

export interface Peers {
  readonly folder: string;
  readonly load: LoadPeer;
  close(): void;
}

const LOADER = 'load.mjs';

/** Installs the packages, without running their scripts. @param versions of each by its name */
export async function installPeers(versions: Readonly<Record<string, string>> = VERSIONS): Promise<Peers> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-peers-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: versions }));
  writeFileSync(join(folder, LOADER), 'export default (name) => import(name);\n');
  const close = () => rmSync(folder, { recursive: true, force: true });
  try {
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    await promisify(execFile)('npm', args, { cwd: folder });
  } catch (error) {
    close();
    throw error;
  }
  return { folder, load: loaderOf(folder), close };
}

/** @param folder where the packages are installed */
export function loaderOf(folder: string): LoadPeer {
  const loader = import(pathToFileURL(join(folder, LOADER)).href);
  return async (name) => (await loader).default(name);
}
