// Worker: searches the nonce ranges or HashWX units assigned by the page.
import { createUnitSearch } from './hashwx/unit-search.js';
import { openFastestKernel } from './kernels/open-kernel.js';
import { createRangeSearch } from './range-search.js';
import type { WorkerReply, WorkerRequest } from './worker-messages.js';

/** Between two slices a worker receives messages and reports its progress. */
const sliceMs = 20;
/** Shorter, because a part solved by another worker makes the rest of a unit useless. */
const unitSliceMs = 10;

const reply = (message: WorkerReply) => postMessage(message);

// A promise instead of `await`: bundlers that write workers as classic scripts reject top-level await.
void openFastestKernel().then((kernel) => {
  const search = createRangeSearch(kernel, { sliceMs }, reply);
  const searchUnit = createUnitSearch({ sliceMs: unitSliceMs, reply });
  addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => {
    if (data !== null && 'salt' in data) return searchUnit(data);
    search(data);
    if (data === null) searchUnit(null);
  });
  reply({ path: kernel.path });
});
