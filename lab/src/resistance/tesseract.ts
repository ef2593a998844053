// Runs Tesseract as a child process, one for a whole list of images.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The assumed page layouts: 6 a block of text, 7 a line, 8 a word. Mode 13, a raw line, is like 8 here. */
export const PAGE_MODES = [6, 7, 8] as const;

export type PageMode = (typeof PAGE_MODES)[number];

export interface Reading {
  readonly pageMode: PageMode;
  /** The only characters in its answers. Default: all. */
  readonly whitelist?: string | undefined;
}

/**
 * Returns Tesseract's text of each file, without white space; empty where it crashes.
 *
 * @param list path for the list of files
 * @throws Error if Tesseract is missing or fails
 */
export async function readImages(
  files: readonly string[],
  list: string,
  { pageMode, whitelist }: Reading,
): Promise<string[]> {
  if (files.length === 0) return [];
  await writeFile(list, `${files.join('\n')}\n`);
  const args = [list, 'stdout', '-l', 'eng', '--dpi', '300', '--psm', String(pageMode)];
  if (whitelist !== undefined) args.push('-c', `tessedit_char_whitelist=${whitelist}`);
  // With more than one thread, recognition of images this small is slower.
  const env = { PATH: process.env.PATH, OMP_THREAD_LIMIT: '1' };
  try {
    const { stdout } = await run('tesseract', args, { env, maxBuffer: 1 << 26 });
    const pages = stdout.split('\f');
    if (pages.length !== files.length) throw new Error(`${pages.length} answers for ${files.length} images`);
    return pages.map((page) => page.replace(/\s+/g, ''));
  } catch (failure) {
    const crashed = crashedAt(failure);
    if (crashed === null) throw failure;
    const before = await readImages(files.slice(0, crashed), list, { pageMode, whitelist });
    const after = await readImages(files.slice(crashed + 1), list, { pageMode, whitelist });
    return [...before, '', ...after];
  }
}

/** Tesseract 5.3 divides by zero on some images, which also ends the rest of the list. @returns the index of that image */
function crashedAt(failure: unknown): number | null {
  const { signal, stderr } = failure as { signal?: string; stderr?: string };
  if (signal !== 'SIGFPE' && signal !== 'SIGSEGV') return null;
  const last = [...(stderr ?? '').matchAll(/^Page (\d+) : /gm)].at(-1);
  return last ? Number(last[1]) : null;
}

/** Returns Tesseract's version, such as `tesseract 5.3.0`. */
export async function tesseractVersion(): Promise<string> {
  const { stdout, stderr } = await run('tesseract', ['--version']);
  return (stdout + stderr).split('\n')[0]!;
}
