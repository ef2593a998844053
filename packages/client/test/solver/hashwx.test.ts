// HashWX solver in Node: its functions return the published values, compiled and interpreted.
import { createHash } from 'node:crypto';
import { hashVectors, hexWord, vectors } from '@tollgate/test-support/hashwx/vectors.js';
import fc from 'fast-check';
import t from 'tap';
import { emitFunction } from '../../src/solver/hashwx/emit-function.js';
import { type Instantiate, openFunctionMaker, type Scan } from '../../src/solver/hashwx/function-maker.js';
import { functionSeed } from '../../src/solver/hashwx/function-seed.js';
import { hashwxModule } from '../../src/solver/hashwx/hashwx-module.js';
import type { UnitReply } from '../../src/solver/hashwx/messages.js';
import { openUnitQueue } from '../../src/solver/hashwx/unit-queue.js';
import { createUnitSearch } from '../../src/solver/hashwx/unit-search.js';
import { chanceOf } from '../../src/solver/hashwx/work.js';
import { spendMs } from '../support/spend-ms.js';

const { challenge } = vectors;
const refuse: Instantiate = () => Promise.reject(new WebAssembly.CompileError('refused'));

/** Finds the hash of a nonce by bisection: `scan` only compares it with a threshold. */
function hashOf(scan: Scan, nonce: bigint): bigint {
  let hash = 0n;
  for (let bit = 63n; bit >= 0n; bit--) {
    const threshold = hash | (1n << bit);
    if (scan(nonce, 1, threshold) < 0) hash = threshold;
  }
  return hash;
}

async function openStatic() {
  const { instance } = await WebAssembly.instantiate(Buffer.from(hashwxModule, 'base64'));
  const { memory, make, scan } = instance.exports as unknown as {
    memory: WebAssembly.Memory;
    make(): void;
    scan: Scan;
  };
  const bytes = new Uint8Array(memory.buffer);
  /** Makes the function of any seed, like `openFunctionMaker`. */
  async function compile(seed: Uint8Array): Promise<Scan> {
    bytes.set(seed);
    make();
    const [k0 = 0n, k1 = 0n] = new BigUint64Array(memory.buffer, 16, 2);
    const code = { programs: bytes.subarray(512, 1536), inputKey: [k0, k1] as const };
    const module = emitFunction(code, { memoryOffset: 2048 });
    const made = await WebAssembly.instantiate(module, { m: { m: memory } });
    return made.instance.exports.s as unknown as Scan;
  }
  return { bytes, make, scan, compile };
}

t.test("all 1,200 of the original's hashes, compiled and interpreted", async (t) => {
  const { bytes, make, scan, compile } = await openStatic();
  for (const { seed, hashes } of hashVectors) {
    const compiled = await compile(seed);
    bytes.set(seed);
    make();
    for (const [i, { nonce, hash }] of hashes.entries()) {
      // A hash is below its successor, and not below itself.
      for (const run of [compiled, scan]) {
        if (run(nonce, 1, hash + 1n) !== 0 || run(nonce, 1, hash) !== -1) t.fail(`${hexWord(hash)} (${i})`);
      }
    }
  }
});

for (const [i, trace] of vectors.traces.entries()) {
  t.test(`hash and memory of trace ${i}, compiled`, async (t) => {
    const { bytes, compile } = await openStatic();
    const scan = await compile(Buffer.from(trace.seed, 'hex'));
    t.equal(hexWord(hashOf(scan, BigInt(trace.nonce))), trace.hash);
    const memory = createHash('sha256').update(bytes.subarray(2048, 4096)).digest('hex');
    t.equal(memory, trace.memorySha256);
  });
}

t.test('the seeds of functions', async (t) => {
  for (const { part, block, functionSeed: seed } of challenge.parts) {
    t.equal(Buffer.from(functionSeed(challenge.seed, part, block)).toString('hex'), seed);
  }
});

for (const [title, instantiate] of [
  ['compiled', undefined],
  ['interpreted, if the engine rejects modules made at run time', refuse],
] as const) {
  t.test(`the published challenge, ${title}`, async (t) => {
    const maker = await openFunctionMaker(instantiate);
    const threshold = 2n ** 64n / BigInt(challenge.d);
    for (const { part, block, number, hash } of challenge.parts) {
      const { scan, isCompiled } = await maker.make(challenge.seed, part, block);
      t.equal(isCompiled, instantiate === undefined);
      t.equal(hexWord(hashOf(scan, BigInt(number))), hash);
      t.equal(scan(BigInt(number) - 3n, 8, threshold), 3);
      t.equal(scan(BigInt(number), 0, threshold), -1, 'no nonce');
    }
  });
}

/** Searches units one after the other until all parts are solved. */
async function solveUnits(
  instantiate?: Instantiate,
): Promise<{ solution: string; modes: Set<string | null> }> {
  const queue = openUnitQueue({ parts: 4 });
  const modes = new Set<string | null>();
  let next: (reply: UnitReply) => void = () => {};
  const send = createUnitSearch({
    sliceMs: 10,
    reply: (reply) => next(reply),
    openMaker: () => openFunctionMaker(instantiate),
  });
  let id = 0;
  for (let unit = queue.take(); unit !== undefined; unit = queue.take()) {
    const { part, block } = unit;
    id++;
    const last = await new Promise<UnitReply>((resolve) => {
      next = (reply) => {
        if (reply.id === id && (reply.found !== undefined || reply.isDone)) resolve(reply);
      };
      send({ id, salt: challenge.seed, part, block, nonces: 512, partHashes: 300 });
    });
    modes.add(last.mode);
    if (last.found === undefined) queue.finish(unit);
    else queue.solve(unit, last.found);
  }
  return { solution: queue.solution ?? '', modes };
}

t.test('compiled and interpreted functions find the same solution', async (t) => {
  const compiled = await solveUnits();
  const interpreted = await solveUnits(refuse);
  t.same(compiled.modes, new Set(['compiled']));
  t.same(interpreted.modes, new Set(['interpreted']));
  t.match(compiled.solution, /^\d+\.\d+\.\d+\.\d+$/);
  t.equal(interpreted.solution, compiled.solution);
});

t.test('without WebAssembly the first reply reports it', async (t) => {
  const reply = await new Promise<UnitReply>((resolve) => {
    const openMaker = () => Promise.reject(new WebAssembly.CompileError('refused'));
    const send = createUnitSearch({ sliceMs: 10, reply: resolve, openMaker });
    send({ id: 7, salt: challenge.seed, part: 0, block: 0, nonces: 512, partHashes: 300 });
  });
  t.same(reply, { id: 7, hashes: 0, mode: null });
});

t.test('a slow device takes smaller slices', async (t) => {
  const scan: Scan = (_nonce, count) => {
    spendMs(count / 10);
    return -1;
  };
  const counts: number[] = [];
  await new Promise<void>((resolve) => {
    const send = createUnitSearch({
      sliceMs: 8,
      openMaker: async () => ({ make: async () => ({ scan, isCompiled: true }) }),
      reply({ hashes, isDone }) {
        counts.push(hashes);
        if (isDone) resolve();
      },
    });
    send({ id: 1, salt: challenge.seed, part: 0, block: 0, nonces: 1024, partHashes: 300 });
  });
  const slices = counts.map((count, i) => count - (counts[i - 1] ?? 0));
  t.equal(slices[0], 512, 'before anything is measured');
  t.ok(Math.max(...slices.slice(1)) <= 80, `${slices}`);
});

t.test('a stopped search sends no more replies', async (t) => {
  const replies: UnitReply[] = [];
  const stopped = new Promise<void>((resolve) => {
    const send = createUnitSearch({
      sliceMs: 1,
      reply(reply) {
        replies.push(reply);
        send(null);
        setImmediate(() => setImmediate(resolve));
      },
    });
    send({ id: 1, salt: challenge.seed, part: 0, block: 0, nonces: 65_536, partHashes: 2 ** 32 });
  });
  await stopped;
  t.equal(replies.length, 1);
});

t.test(
  'units belong to the part with the fewest workers, and each block of a part is searched once',
  async (t) => {
    const queue = openUnitQueue({ parts: 2 });
    const first = queue.take()!;
    const second = queue.take()!;
    t.same(
      [first, second],
      [
        { part: 0, block: 0 },
        { part: 1, block: 0 },
      ],
    );
    queue.finish(first);
    t.same(queue.take(), { part: 0, block: 1 });
    queue.solve(second, 17);
    t.ok(queue.isSolved(1));
    const third = queue.take()!;
    t.same(third, { part: 0, block: 2 }, 'a solved part gets no worker');
    queue.putBack(third);
    t.same(queue.take(), third, 'a unit that was put back is returned again');
    t.equal(queue.solution, undefined);
    queue.solve(third, 9);
    t.equal(queue.solution, '9.17');
    t.equal(queue.take(), undefined);
  },
);

t.test('the chance grows from 0 to 1, and is one half shortly before the expected work', async (t) => {
  const task = {
    algorithm: 'hashwx-1',
    difficulty: 19,
    salt: '',
    parts: 4,
    part_hashes: 1000,
    nonces_per_function: 512,
  };
  t.equal(chanceOf(0, task), 0);
  t.ok(Math.abs(chanceOf(0.92 * 4000, task) - 0.5) < 0.01);
  t.ok(chanceOf(40_000, task) > 0.999_999);
  fc.assert(
    fc.property(fc.nat(20_000), fc.nat(20_000), (a, b) => chanceOf(a, task) <= chanceOf(a + b, task) + 1e-12),
  );
});
