// Turns processes into small machines: each gets a share of a core during a measurement.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const LIMITER = fileURLToPath(new URL('./cpu-share.js', import.meta.url));

/** @param share 0 to 1 of a core, for each process */
export async function onSmallMachines<T>(
  pids: readonly number[],
  share: number,
  during: () => Promise<T>,
): Promise<T> {
  const limiter = fork(LIMITER, [String(share), ...pids.map(String)]);
  const exited = once(limiter, 'exit');
  await once(limiter, 'message');
  try {
    return await during();
  } finally {
    limiter.disconnect();
    await exited;
  }
}
