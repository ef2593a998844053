// A folder for one test, removed at its end.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';

/** Creates an empty folder outside the project. Resources opened in it must be closed by a later `t.teardown`. */
export function tempDir(t: Pick<Test, 'teardown'>): string {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
