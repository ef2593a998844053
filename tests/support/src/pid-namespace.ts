// Runs Node in a separate PID namespace, as a container does: its process id there is 1.

import { spawnSync } from 'node:child_process';

/** A program that starts Node, and its arguments before those of Node. */
export interface NodeProgram {
  readonly execPath: string;
  readonly execArgv: string[];
}

const UNSHARE = ['--pid', '--fork', '--mount-proc', '--kill-child'];

export const nodeInNamespace: NodeProgram = {
  execPath: 'unshare',
  execArgv: [...UNSHARE, process.execPath],
};

/** The reason to skip a test that requires PID namespaces; false if there is none. */
export function namespacesMissing(): string | false {
  const { status } = spawnSync('unshare', [...UNSHARE, 'true']);
  return status === 0 ? false : 'SKIPPED: this user may not create PID namespaces (unshare)';
}
