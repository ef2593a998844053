// The worker: tries the lanes that the page gives it.
import { openKernel } from './kernel.js';
import { tryLanes } from './try-lanes.js';
import type { WorkerReply, WorkerRequest } from './worker-messages.js';

/** So often a worker hears whether it should go on, and says how far it is. */
const sliceMs = 20;

const reply = (message: WorkerReply) => postMessage(message);

// A promise instead of `await`, which bundlers refuse here when they write workers as classic scripts.
void openKernel().then((kernel) => {
  const take = tryLanes(kernel, { sliceMs }, reply);
  addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => take(data));
  reply({ path: kernel.path });
});
