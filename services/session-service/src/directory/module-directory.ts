// The directory that the operator's own module provides.

import { importModule } from '@tollgate/shared/config';
import type { UserId } from '@tollgate/shared/schemas';
import { checkFound, type Directory, DirectoryUnavailableError, readDirectoryUser } from './directory.js';
import { redactedMessage } from './redacted-message.js';

/** Time limit for a result of the driver, in milliseconds. */
const TIMEOUT_MS = 2000;

/** Time limit for the module to load and to return its driver, in milliseconds. */
const LOAD_MS = 10_000;

const SOURCE = 'the driver';

/**
 * Loads the module. Its default export is a Directory, or a function that returns one, directly or as a promise. Every value
 * that the driver returns is checked. An error, or no result within two seconds, counts as a directory that does not
 * respond.
 *
 * @param path absolute path of the module
 * @param timeoutMs time limit for each call, in milliseconds
 * @param loadMs time limit for the module to load and to return its driver, in milliseconds
 * @throws RangeError if the module cannot be loaded or does not export a driver in time
 */
export async function openModuleDirectory(
  path: string,
  timeoutMs = TIMEOUT_MS,
  loadMs = LOAD_MS,
): Promise<Directory> {
  const driver = checkDriver(await loadInTime(path, loadMs));

  const attempt = async (
    method: string,
    work: () => unknown,
    given: readonly (string | number)[] = [],
  ): Promise<unknown> => {
    try {
      return await withTimeout(timeoutMs, work);
    } catch (error) {
      const reason = error instanceof TimeoutError ? error.message : `threw ${redactedMessage(error, given)}`;
      throw new DirectoryUnavailableError(`${SOURCE}'s ${method} ${reason}`);
    }
  };
  const find = async (method: string, work: () => unknown, given: UserId) => {
    const found = await attempt(method, work, [given]);
    return found === undefined || found === null
      ? undefined
      : readDirectoryUser(found, `${SOURCE}'s ${method}`);
  };
  let closed: Promise<void> | undefined;

  return {
    findByEmail: (key) => find('findByEmail', () => driver.findByEmail(key), key),
    async findById(id) {
      const user = await find('findById', () => driver.findById(id), id);
      return checkFound(user, id, `${SOURCE}'s findById`);
    },
    ...(driver.saveHash && {
      async saveHash(id, oldHash, newHash) {
        const save = () => driver.saveHash?.(id, oldHash, newHash);
        const saved = await attempt('saveHash', save, [id, oldHash, newHash]);
        if (typeof saved === 'boolean') return saved;
        throw new DirectoryUnavailableError(`${SOURCE}'s saveHash returned neither true nor false`);
      },
    }),
    async health() {
      await attempt('health', () => driver.health());
    },
    close() {
      closed ??= attempt('close', () => driver.close()).then(() => {});
      return closed;
    },
  };
}

async function loadInTime(path: string, limitMs: number): Promise<unknown> {
  try {
    return await withTimeout(limitMs, () => loadDriver(path));
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    throw new RangeError(`names a module that ${error.message}: it must not wait for its database`);
  }
}

async function loadDriver(path: string): Promise<unknown> {
  const { default: exported } = await importModule(path);
  if (typeof exported !== 'function') return exported;
  try {
    return await exported();
  } catch (error) {
    throw new RangeError(`names a module whose default export threw ${redactedMessage(error)}`);
  }
}

function checkDriver(driver: unknown): Directory {
  if (typeof driver !== 'object' || driver === null) {
    throw new RangeError(
      'names a module whose default export is neither a driver nor a function that returns one',
    );
  }
  const methods = driver as Readonly<Record<string, unknown>>;
  const missing = ['findByEmail', 'findById', 'health', 'close'].filter(
    (name) => typeof methods[name] !== 'function',
  );
  if (missing.length > 0) {
    throw new RangeError(`names a module whose driver has no method ${missing.join(', ')}`);
  }
  if (methods.saveHash !== undefined && typeof methods.saveHash !== 'function') {
    throw new RangeError('names a module whose driver has a saveHash that is not a method');
  }
  return driver as Directory;
}

class TimeoutError extends Error {}

async function withTimeout(limitMs: number, work: () => unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`returned nothing within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([Promise.resolve().then(work), limit]);
  } finally {
    clearTimeout(timer);
  }
}
