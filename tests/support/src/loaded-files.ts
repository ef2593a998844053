// Runs a service as a separate process, and returns the files that it has loaded.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { tempDir } from './temp-dir.js';

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/**
 * Starts a service, stops it after its start, and returns the paths of all files whose code it has run: Node writes them at
 * the end of a process with `NODE_V8_COVERAGE`.
 * @param use called while the service runs
 */
export async function loadedFiles(
  t: Pick<Test, 'teardown'>,
  program: string,
  env: Readonly<Record<string, string>>,
  use: () => Promise<void> = async () => {},
): Promise<string[]> {
  const folder = tempDir(t);
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, NODE_V8_COVERAGE: folder, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const closed = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes('"event":"service_started"')) continue;
    await use();
    child.kill('SIGTERM');
  }
  const [code] = await closed;
  if (code !== 0) throw new Error(`the service exited with ${code}`);
  const urls = readdirSync(folder).flatMap((name) => {
    const { result }: Coverage = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return result.map(({ url }) => url);
  });
  const paths = urls.flatMap((url) => {
    if (url.startsWith('file:')) return fileURLToPath(url);
    return url.startsWith('/') ? url : [];
  });
  return [...new Set(paths)].sort();
}
