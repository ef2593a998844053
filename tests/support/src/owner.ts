// The owner of a test's servers: the test itself, or its file.
import type { Test } from 'tap';

/** Calls the given functions when it ends, the last first. */
export type Owner = Pick<Test, 'teardown'>;
