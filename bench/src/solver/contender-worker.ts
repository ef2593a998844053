// Lets one contender hash in a worker, as all of them are meant to: first its name, then how long, ms, each time.
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
