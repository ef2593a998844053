// Busy times of a page's main thread while the device works, in each engine.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tab } from '../engines/engine.js';
import { engines } from '../engines/engines.js';
import type { Program } from '../program.js';

const ROUNDS = 5;
const ROUND_MS = 1_500;
/** A longer task delays user actions noticeably (W3C Long Tasks). */
const LONGEST_MS = 50;
const clientFolder = fileURLToPath(new URL('../../../../packages/client/dist/src/', import.meta.url));
const ways = { nothing: 'idle', workers: 'work in workers', none: 'work without workers' } as const;

const program: Program = {
  title: 'longest busy time of a page’s main thread, in ms, in three engines',
  method: `A chain of messages from the page to itself runs through ${ROUNDS} rounds of ${ROUND_MS} ms: a busy thread delays the next message. A busy machine can only lengthen the delay, so the shortest round counts.`,
  async run(_args, report, open) {
    const address = await open(serve());
    for (const engine of Object.values(engines)) {
      if (engine.missing !== undefined) {
        report.say(`${engine.name} is not measured: ${engine.missing}`);
        continue;
      }
      const longest = await measure(await open(engine.launch()), address.url);
      for (const [way, title] of Object.entries(ways)) {
        report.row(`${engine.name}, ${title}`, { 'longest ms': longest[way as Way] });
      }
      for (const way of ['workers', 'none'] as const) {
        const least = Math.min(...longest[way]);
        report.verdict(`${engine.name}, ${ways[way]}`, least, { atMost: LONGEST_MS }, 'ms');
      }
    }
  },
};
export default program;

type Way = keyof typeof ways;
type Opened = Awaited<ReturnType<(typeof engines)['Chromium']['launch']>>;

/** The longest pause of each round, in turns. */
async function measure(browser: Opened, url: string): Promise<Record<Way, number[]>> {
  const longest: Record<Way, number[]> = { nothing: [], workers: [], none: [] };
  const visitor = await browser.visit();
  const tab = await visitor.openTab();
  await tab.open(url);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const way of Object.keys(ways) as Way[]) longest[way].push(await measureRound(tab, way));
  }
  await visitor.leave();
  return longest;
}

function measureRound(tab: Tab, way: Way): Promise<number> {
  return tab.evaluate<number>(`(async () => {
    const { openSolver } = await import('/solver/solver.js');
    const { Worker } = globalThis;
    if (${way === 'none'}) globalThis.Worker = undefined;
    const solver = openSolver();
    const over = new AbortController();
    const channel = new MessageChannel();
    let longest = 0;
    let last = performance.now();
    channel.port1.onmessage = () => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      if (!over.signal.aborted) channel.port2.postMessage(0);
    };
    channel.port2.postMessage(0);
    // Hard enough that the end of the round comes first.
    const task = { head: '0'.repeat(32), difficulty: 32 };
    const options = { signal: over.signal, maxHashes: Infinity };
    const search = ${way !== 'nothing'} ? solver.search(task, options).catch(() => 0) : 0;
    await new Promise((resolve) => setTimeout(resolve, ${ROUND_MS}));
    over.abort();
    await search;
    solver.close();
    channel.port1.close();
    globalThis.Worker = Worker;
    return longest;
  })()`);
}

/** Serves the compiled package, and an empty page. */
async function serve(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = normalize(request.url ?? '/');
    const file = path === '/' ? '<!doctype html><title>Bench</title>' : readFile(join(clientFolder, path));
    Promise.resolve(file).then(
      (body) =>
        response
          .writeHead(200, { 'content-type': path.endsWith('.js') ? 'text/javascript' : 'text/html' })
          .end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
