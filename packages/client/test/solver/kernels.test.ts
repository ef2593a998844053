// Kernels compared with Node's SHA-256, and the race of two of them. Durations are given, not measured.
import { createHash } from 'node:crypto';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import fc from 'fast-check';
import t from 'tap';
import { prefixLength, suffixCount } from '../../src/solver/block-layout.js';
import { type Kernel, type KernelName, suffixStep } from '../../src/solver/kernel.js';
import { raceKernels } from '../../src/solver/kernels/kernel-race.js';
import { kernelNames, openFastestKernel, openKernel } from '../../src/solver/kernels/open-kernel.js';
import { openNonceRange } from '../../src/solver/nonce-range.js';
import { createRangeSearch } from '../../src/solver/range-search.js';
import type { SearchReply } from '../../src/solver/worker-messages.js';
import { spendMs } from '../support/spend-ms.js';
import { zeroBits } from '../support/zero-bits.js';

const ascii = (length: number) =>
  fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: length,
    maxLength: length,
  });
const suffixText = (suffix: number) => String(suffix).padStart(3, '0');

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

for (const name of kernelNames) {
  t.test(`the ${name} kernel`, async (t) => {
    const kernel = await openKernel(name);

    t.test('runs here', async (t) => {
      t.equal(kernel.name, name);
    });

    t.test('finds exactly the suffixes whose digest has the bits, in order', async (t) => {
      fc.assert(
        fc.property(ascii(prefixLength), fc.integer({ min: 1, max: 12 }), (prefix, difficulty) => {
          const wanted: number[] = [];
          for (let suffix = 0; suffix < suffixCount; suffix++) {
            if (zeroBits(prefix + suffixText(suffix)) >= difficulty) wanted.push(suffix);
          }
          kernel.prepare(prefix);
          // A search starts at a multiple of the step and returns only the first match after it.
          const first = new Map<number, number>();
          for (const suffix of wanted.toReversed()) first.set(suffix - (suffix % suffixStep), suffix);
          const found: number[] = [];
          for (let from = 0; from < suffixCount; from += suffixStep) {
            const suffix = kernel.search(difficulty, from, from + suffixStep);
            if (suffix >= 0) found.push(suffix);
          }
          t.same(found, [...first.values()].toReversed());
          t.equal(kernel.search(difficulty, 0, suffixCount), wanted[0] ?? -1);
        }),
        { numRuns: 20 },
      );
    });

    t.test('searches only the given suffixes', async (t) => {
      const prefix = 'x'.repeat(prefixLength);
      const easy = Array.from({ length: suffixCount }, (_, suffix) => zeroBits(prefix + suffixText(suffix)));
      const hit = easy.findIndex((bits) => bits >= 9);
      kernel.prepare(prefix);
      const to = hit - (hit % suffixStep);
      t.equal(kernel.search(9, 0, to), -1);
      t.equal(kernel.search(9, 0, to + suffixStep), hit);
    });

    t.test('finds the first nonce of a range for heads of every length', async (t) => {
      fc.assert(
        fc.property(
          fc.integer({ min: 32, max: 34 }).chain(ascii),
          fc.integer({ min: 0, max: 899_999 }),
          fc.integer({ min: 10, max: 14 }),
          (head, number, difficulty) => {
            const range = openNonceRange(kernel, { head, difficulty }, number);
            const nonce = range.search(2 ** difficulty * 20);
            if (nonce === undefined) return;
            t.match(nonce, /^[1-9]\d{20,22}$/);
            t.equal((head + nonce).length, prefixLength + 3);
            t.ok(nonce.startsWith(String(100_000 + number)));
            t.ok(zeroBits(head + nonce) >= difficulty);
            const firstNonce = BigInt(String(100_000 + number).padEnd(nonce.length, '0'));
            t.equal(range.hashes, Number(BigInt(nonce) - firstNonce) + 1);
            for (let before = firstNonce; before < BigInt(nonce); before++) {
              if (zeroBits(head + before) >= difficulty) t.fail(`${before} was missed`);
            }
          },
        ),
        { numRuns: 8 },
      );
    });

    t.test('continues in a range where it stopped', async (t) => {
      const head = createHash('sha256').update(name).digest('hex').slice(0, 32);
      const inOne = openNonceRange(kernel, { head, difficulty: 15 }, 7);
      const nonce = inOne.search(1_000_000);
      const inSteps = openNonceRange(kernel, { head, difficulty: 15 }, 7);
      let found: string | undefined;
      for (let count = 1; found === undefined; count = (count * 3) % 1_001) found = inSteps.search(count);
      t.equal(found, nonce);
      t.equal(inSteps.hashes, inOne.hashes);
    });

    t.test('supports up to 32 bits', async (t) => {
      const range = openNonceRange(kernel, { head: '0'.repeat(32), difficulty: 32 }, 0);
      t.equal(range.search(100_000), undefined);
      t.equal(range.hashes, 100_000);
    });
  });
}

t.test('every kernel finds the same nonce for a salt of zeros', async (t) => {
  for (const name of kernelNames) {
    const range = openNonceRange(await openKernel(name), { head: '0'.repeat(32), difficulty: 16 }, 0);
    t.equal(range.search(1_000_000), '10000000000000000078047', name);
    t.equal(range.hashes, 78_048);
  }
});

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

t.test('a slow device takes smaller slices', async (t) => {
  const kernel: Kernel = {
    name: 'jsLoop',
    path: 'js',
    prepare() {},
    search(_difficulty, from, to) {
      spendMs((to - from) / 10);
      return -1;
    },
  };
  const counts: number[] = [];
  await new Promise<void>((resolve) => {
    const search = createRangeSearch(kernel, { sliceMs: 8 }, ({ hashes, isDone }) => {
      if (isDone) return resolve();
      counts.push(hashes);
    });
    search({ id: 1, head, difficulty: 32, range: 0, maxHashes: 1000 });
  });
  const slices = counts.map((count, i) => count - (counts[i - 1] ?? 0));
  t.equal(slices[0], 200, 'before anything is measured');
  t.ok(Math.max(...slices.slice(1)) <= 80, `${slices}`);
});
