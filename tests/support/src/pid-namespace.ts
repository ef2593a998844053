// Runs Node in a PID namespace of its own, as a container does: its process id there is 1.

import { spawnSync } from 'node:child_process';

/** A program that starts Node, and what stands before the arguments of Node. */
export interface NodeProgram {
  readonly execPath: string;
  readonly execArgv: string[];
}

const UNSHARE = ['--pid', '--fork', '--mount-proc', '--kill-child'];

export const nodeInNamespace: NodeProgram = {
  execPath: 'unshare',
  execArgv: [...UNSHARE, process.execPath],
};

/** Why a test that needs PID namespaces must be skipped; false if it need not. */
export function namespacesMissing(): string | false {
  const { status } = spawnSync('unshare', [...UNSHARE, 'true']);
  return status === 0 ? false : 'SKIPPED: this user may not make PID namespaces (unshare)';
}
