// The worker: searches the nonce ranges that the page assigns to it.
import { openKernel } from './kernel.js';
import { createRangeSearch } from './range-search.js';
import type { WorkerReply, WorkerRequest } from './worker-messages.js';

/** Between two slices a worker receives messages and reports its progress. */
const sliceMs = 20;

const reply = (message: WorkerReply) => postMessage(message);

// A promise instead of `await`, because bundlers that write workers as classic scripts reject top-level await.
void openKernel().then((kernel) => {
  const search = createRangeSearch(kernel, { sliceMs }, reply);
  addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => search(data));
  reply({ path: kernel.path });
});
