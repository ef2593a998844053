// Finds one person's lines in the files of an audit stream, and removes the person from them.

import { access, constants, type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { UserId } from '@tollgate/shared/schemas';

/** The values by which lines name a person. */
interface AuditPerson {
  readonly uids: ReadonlySet<UserId>;
  /** Pseudonyms of the account. */
  readonly accounts: ReadonlySet<string>;
}

/** A line as an object. */
type StoredLine = Readonly<Record<string, unknown>>;

/** The files of a stream. */
export interface AuditFiles {
  /** The file and the rotated ones. */
  readonly files: string[];
  /** Those that are compressed, or that this process may not read or change. */
  readonly closed: string[];
}

const COMPRESSED = /\.(?:gz|bz2|xz|zst|lz4)$/;

/**
 * Finds the files of a stream: PATH, and those beside it whose name continues with `.` or `-` and a digit, as rotation
 * programs name them.
 * @param use what the files must allow
 */
export async function auditFilesOf(path: string, use: 'read' | 'change' = 'read'): Promise<AuditFiles> {
  const mode = use === 'read' ? constants.R_OK : constants.R_OK | constants.W_OK;
  const base = basename(path);
  const names = await readdir(dirname(path)).catch(() => [] as string[]);
  const own = names
    .filter((name) => name === base || (name.startsWith(base) && /^[.-]\d/.test(name.slice(base.length))))
    .sort()
    .map((name) => join(dirname(path), name));
  const isOpen = async (name: string) =>
    !COMPRESSED.test(name) &&
    (await access(name, mode).then(
      () => true,
      () => false,
    ));
  const open = await Promise.all(own.map(isOpen));
  return { files: own.filter((_name, at) => open[at]), closed: own.filter((_name, at) => !open[at]) };
}

/** Returns the lines of a person, in the order of the files. */
export async function findAuditLines(files: readonly string[], person: AuditPerson): Promise<StoredLine[]> {
  const found: StoredLine[] = [];
  for (const path of files) await visitLines(path, 'r', person, async (line) => void found.push(line));
  return found;
}

/**
 * Removes the person from every line, and returns how many lines there were. The line stays, so that counts of events are
 * right: its ids are replaced by `"erased":true` and spaces. The length of the file stays the same, so other processes
 * can append meanwhile, and the old bytes are overwritten.
 */
export async function eraseAuditLines(files: readonly string[], person: AuditPerson): Promise<number> {
  let erased = 0;
  for (const path of files) {
    await visitLines(path, 'r+', person, async (line, { file, at, bytes }) => {
      const text = JSON.stringify(withoutPerson(line, person));
      const marked = text.replace(/^\{/, '{"erased":true,');
      const fitting = Buffer.byteLength(marked) <= bytes ? marked : text;
      await file.write(fitting + ' '.repeat(bytes - Buffer.byteLength(fitting)), at, 'utf8');
      erased += 1;
    });
  }
  return erased;
}

/** Where a line is in its file. */
interface LinePlace {
  readonly file: FileHandle;
  readonly at: number;
  /** Its length without the line break. */
  readonly bytes: number;
}

const CHUNK_BYTES = 1_048_576;

/** Longer lines are no events. */
const MAX_LINE_BYTES = 65_536;

async function visitLines(
  path: string,
  flags: 'r' | 'r+',
  person: AuditPerson,
  visit: (line: StoredLine, place: LinePlace) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    // Rotated away meanwhile.
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return;
  try {
    if (!(await file.stat()).isFile()) return;
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let from = 0; ; ) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, from);
      let start = 0;
      for (;;) {
        const end = chunk.subarray(0, bytesRead).indexOf(10, start);
        if (end < 0) break;
        const line = lineOf(chunk.toString('utf8', start, end), person);
        if (line !== undefined) await visit(line, { file, at: from + start, bytes: end - start });
        start = end + 1;
      }
      if (bytesRead < CHUNK_BYTES) return;
      from += start > 0 ? start : Math.max(bytesRead - MAX_LINE_BYTES, 1);
    }
  } finally {
    await file.close();
  }
}

/** Returns the line if it names the person. */
function lineOf(text: string, person: AuditPerson): StoredLine | undefined {
  if (!mayName(text, person)) return undefined;
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  return typeof line === 'object' && line !== null && names(line as StoredLine, person)
    ? (line as StoredLine)
    : undefined;
}

/** Most lines name somebody else and need not be parsed. */
function mayName(text: string, { uids, accounts }: AuditPerson): boolean {
  for (const account of accounts) if (text.includes(account)) return true;
  for (const uid of uids) if (text.includes(`"uid":${JSON.stringify(uid)}`)) return true;
  return false;
}

function names({ uid, account, accounts: summed }: StoredLine, { uids, accounts }: AuditPerson): boolean {
  // An account may have had another user before.
  if (uid !== undefined) return uids.has(uid as UserId);
  if (accounts.has(account as string)) return true;
  return Array.isArray(summed) && summed.some((one) => accounts.has(one?.account));
}

/** The fields that lead to a person. */
const PERSONAL = ['account', 'uid', 'sid', 'request'];

/**
 * A login and everything in a session came from the person, so the address goes too. Failed logins may be an attack by
 * somebody else: their address stays.
 */
function withoutPerson(line: StoredLine, { accounts }: AuditPerson): StoredLine {
  const dropped = line.uid === undefined ? PERSONAL : [...PERSONAL, 'address'];
  const entries = Object.entries(line).filter(([name]) => !dropped.includes(name));
  return Object.fromEntries(
    entries.map(([name, value]) =>
      name === 'accounts' && Array.isArray(value)
        ? [name, value.filter((one) => !accounts.has(one?.account))]
        : [name, value],
    ),
  );
}
