// Runs one contender in a worker. The first message is its name; each later message is a time in ms to hash for.
import { contenders } from './contenders.js';

type Burst = Awaited<ReturnType<(typeof contenders)[string]>>;
let burst: Promise<Burst> | undefined;

addEventListener('message', async ({ data }: MessageEvent<string | number>) => {
  if (typeof data === 'string') {
    burst = Promise.resolve(contenders[data]!());
    await burst;
    postMessage(0);
    return;
  }
  const hash = (await burst)!;
  const endMs = performance.now() + data;
  let hashes = 0;
  while (performance.now() < endMs) hashes += await hash();
  postMessage(hashes);
});
