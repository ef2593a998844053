// Race of two kernels: correct results in every state, and either kernel can win. Durations are given, not measured.
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import t from 'tap';
import type { KernelName } from '../../src/solver/kernel.js';
import { raceKernels } from '../../src/solver/kernels/kernel-race.js';
import { kernelNames, openFastestKernel, openKernel } from '../../src/solver/kernels/open-kernel.js';
import { openNonceRange } from '../../src/solver/nonce-range.js';
import { createRangeSearch } from '../../src/solver/range-search.js';
import type { SearchReply } from '../../src/solver/worker-messages.js';
import { zeroBits } from '../support/zero-bits.js';

const head = '0'.repeat(32);
/** The first nonce of this head at 13 bits, in the sixth prefix; each slice of a race finds it again. */
const soon = { difficulty: 13, nonce: '10000000000000000005805' };
/** The first one at 16 bits. */
const firstNonce = '10000000000000000078047';
const sliceHashes = 2 ** 17;

/** Reports slices with this kernel twice as fast, until the race must be over. @returns the kernels seen */
async function run(race: Awaited<ReturnType<typeof openFastestKernel>>, faster: KernelName) {
  const seen: KernelName[] = [];
  for (let slice = 0; slice < 40; slice++) {
    seen.push(race.name);
    const before = race.name;
    const hasChanged = race.onSlice?.(sliceHashes, before === faster ? 20 : 40);
    t.equal(hasChanged, race.name !== before, 'reports whether the speed of the next slice differs');
    const range = openNonceRange(race, { head, difficulty: soon.difficulty }, 0);
    t.equal(range.search(1_000_000), soon.nonce, race.name);
    // Opening the second kernel takes a moment.
    if (slice < 3) for (let i = 0; i < 50 && slice > 0; i++) await turnOfTheLoop();
  }
  return seen;
}

const pairs = [
  ['simd', 'simdMul'],
  ['jsLoop', 'js'],
] as const;

for (const pair of pairs) {
  for (const winner of pair) {
    t.test(`${pair.join(' and ')}: ${winner} wins if it is faster`, async (t) => {
      const second = await openKernel(pair[1]);
      const race = raceKernels(await openKernel(pair[0]), async () => second);
      const seen = await run(race, winner);
      t.same(new Set(seen), new Set(pair), 'both have searched');
      t.same(new Set(seen.slice(-20)), new Set([winner]));
      t.equal(race.name, winner);
    });
  }
}

t.test('a kernel change within a prefix continues with the same prefix', async (t) => {
  const second = await openKernel('js');
  const race = raceKernels(await openKernel('simd'), async () => second);
  const range = openNonceRange(race, { head, difficulty: 16 }, 0);
  const names = new Set<KernelName>();
  let nonce: string | undefined;
  while (nonce === undefined) {
    nonce = range.search(204);
    names.add(race.name);
    race.onSlice?.(sliceHashes, 40);
    if (names.size === 1) await turnOfTheLoop();
  }
  t.equal(nonce, firstNonce);
  t.equal(range.hashes, 78_048);
  t.same(names, new Set(['simd', 'js']));
});

t.test('the first kernel continues if the second cannot be opened', async (t) => {
  const race = raceKernels(await openKernel('simd'), () => Promise.reject(new Error('refused')));
  t.same(new Set(await run(race, 'simdMul')), new Set(['simd']));
});

t.test('the opened kernel searches throughout its race', async (t) => {
  const race = await openFastestKernel();
  t.equal(race.path, 'simd');
  const replies: SearchReply[] = [];
  const difficulty = 21;
  const reply = await new Promise<SearchReply>((resolve) => {
    const search = createRangeSearch(race, { sliceMs: 20 }, (message) => {
      replies.push(message);
      if (message.nonce !== undefined) resolve(message);
    });
    search({ id: 1, head, difficulty, range: 7, maxHashes: Number.MAX_SAFE_INTEGER });
  });
  t.ok(zeroBits(head + reply.nonce) >= difficulty);
  t.ok(kernelNames.includes(race.name));
  const counts = replies.map(({ hashes }) => hashes);
  t.same(
    counts,
    counts.toSorted((a, b) => a - b),
  );
});
