// HashWX: the static module and the definition in BigInts give the original's values.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { makeModel, permutations, type Slot } from '@tollgate/test-support/hashwx/model.js';
import { hashVectors, hexWord, publishedHashes, vectors } from '@tollgate/test-support/hashwx/vectors.js';
import fc from 'fast-check';
import t from 'tap';
import { openHashwx, warmHashwx } from '../../../src/pow/hashwx/function.js';
import { hashwxModule } from '../../../src/pow/hashwx/hashwx-module.js';
import {
  functionSeeds,
  hashwxThreshold,
  isHashwxSolution,
  solvesHashwx,
} from '../../../src/pow/hashwx/work.js';

/** Present in Node, but not in its types. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array): Promise<{
    readonly instance: {
      readonly exports: {
        readonly memory: { readonly buffer: ArrayBuffer };
        make(): void;
        hash(nonce: bigint): bigint;
      };
    };
  }>;
};

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const hashwx = openHashwx();
const { challenge } = vectors;
const task = { seed: challenge.seed, partDifficulty: challenge.d, noncesPerFunction: 65_536 };
const solves = (solution: string, changed: Partial<typeof task> = {}) =>
  solvesHashwx(hashwx, sha256, { ...task, ...changed }, solution);

t.test('the module in the sources equals its assembled text', async (t) => {
  const { assemble } = (await import(
    new URL('../../../../../packages/client/build/assemble.js', import.meta.url).href
  )) as { assemble(text: string): Promise<string> };
  const text = new URL('../../../../src/pow/hashwx/hashwx.wat', import.meta.url);
  t.equal(await assemble(readFileSync(text, 'utf8')), hashwxModule, 'run node shared/build.js');
});

t.test('the four hashes that the original publishes', async (t) => {
  for (const { seed, nonce, hash } of publishedHashes) {
    t.equal(hashwx.hash(seed, nonce), hash);
    t.equal(makeModel(seed).trace(nonce).hash, hash);
  }
});

t.test("all 1,200 of the original's hashes", async (t) => {
  const wrong = hashVectors.flatMap(({ seed, hashes }) =>
    hashes.filter(({ nonce, hash }) => hashwx.hash(seed, nonce) !== hash).map(({ nonce }) => nonce),
  );
  t.same(wrong, []);
});

for (const [i, trace] of vectors.traces.entries()) {
  t.test(`every inner value in memory of trace ${i}`, async (t) => {
    const module = await WebAssembly.instantiate(Buffer.from(hashwxModule, 'base64'));
    const { memory, make, hash } = module.instance.exports;
    const bytes = Buffer.from(memory.buffer);
    const word = (at: number) => hexWord(bytes.readBigUInt64LE(at));
    const programs = (i: number) =>
      Array.from({ length: 8 }, (_, slot) => [...bytes.subarray(512 + 32 * i + 4 * slot).subarray(0, 4)]);
    bytes.set(Buffer.from(trace.seed, 'hex'));
    make();
    t.same(
      trace.words.map((_, i) => word(20_480 + 8 * i)),
      trace.words,
    );
    t.same(programs(0), trace.program0);
    t.same(programs(31), trace.program31);
    t.equal(sha256(bytes.subarray(512, 1536)).toString('hex'), trace.programsSha256);
    t.equal(hexWord(hash(BigInt(trace.nonce))), trace.hash);
    t.same(
      trace.registersAfterRead.map((_, i) => word(64 + 8 * i)),
      trace.registersAfterRead,
    );
    t.equal(sha256(bytes.subarray(2048, 4096)).toString('hex'), trace.memorySha256);
    t.equal(word(2048), trace.memoryFirstWord);
    t.equal(word(4088), trace.memoryLastWord);
  });
}

t.test('any seed and nonce hash according to the definition', async (t) => {
  const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const nonces = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  fc.assert(
    fc.property(seeds, fc.array(nonces, { minLength: 1, maxLength: 4 }), (seed, nonces) => {
      const model = makeModel(seed);
      for (const nonce of nonces) t.equal(hashwx.hash(seed, nonce), model.trace(nonce).hash);
    }),
    { numRuns: 100 },
  );
  const seed = new Uint8Array(32);
  t.equal(warmHashwx().hash(seed, 1n), openHashwx().hash(seed, 1n));
  t.equal(warmHashwx(), warmHashwx(), 'a process has one instance');
});

t.test('the published challenge', async (t) => {
  t.equal(hexWord(hashwxThreshold(challenge.d)), challenge.threshold);
  for (const { part, block, functionSeed: seed, number, hash } of challenge.parts) {
    const made = functionSeeds(sha256, challenge.seed)(part, block);
    t.equal(Buffer.from(made).toString('hex'), seed);
    t.equal(hexWord(hashwx.hash(made, BigInt(number))), hash);
  }
  t.ok(solves(challenge.solution));
});

t.test(
  'a solution is bound to its parts, its seed, its difficulty and the nonces of a function',
  async (t) => {
    const numbers = challenge.solution.split('.');
    t.notOk(solves(numbers.toReversed().join('.')));
    for (let part = 0; part < 4; part++) {
      t.notOk(
        solves(numbers.with(part, String(Number(numbers[part]) + 1)).join('.')),
        `part ${part} must be right`,
      );
    }
    t.notOk(solves(challenge.solution, { seed: challenge.seed.replace(/^a/, 'b') }));
    t.notOk(solves(challenge.solution, { partDifficulty: 1_000_000 }));
    t.notOk(solves(challenge.solution, { noncesPerFunction: 512 }));
  },
);

t.test('a part that needs more blocks than the maximum is not solved', async (t) => {
  const last = 512 * 2 ** 32;
  t.notOk(solves(`${last}.0.0.0`, { noncesPerFunction: 512, partDifficulty: 2 }));
});

t.test('a hash must be below the threshold', async (t) => {
  const threshold = hashwxThreshold(task.partDifficulty);
  const solvedBy = (hash: bigint) => solvesHashwx({ hash: () => hash }, sha256, task, '0.0.0.0');
  t.ok(solvedBy(threshold - 1n));
  t.notOk(solvedBy(threshold));
});

t.test('the format of a solution', async (t) => {
  const most = String(2 ** 48 - 1);
  for (const text of ['0.0.0.0', challenge.solution, [most, most, most, most].join('.')]) {
    t.ok(isHashwxSolution(text), text);
  }
  const wrong = [
    '',
    '0',
    '0.0.0',
    '0.0.0.0.0',
    '00.0.0.0',
    '01.0.0.0',
    '-1.0.0.0',
    '+1.0.0.0',
    '1e3.0.0.0',
    '0x1.0.0.0',
    '1..2.3',
    '.1.2.3',
    '1.2.3.',
    ' 1.2.3.4',
    '1.2.3.4\n',
    '１.2.3.4',
    `${2 ** 48}.0.0.0`,
    `0.0.0.${'9'.repeat(15)}`,
    `0.0.0.${'9'.repeat(16)}`,
  ];
  for (const text of wrong) t.notOk(isHashwxSolution(text), JSON.stringify(text));
  for (const text of wrong) t.notOk(solves(text, { partDifficulty: 2 }), JSON.stringify(text));
});

// The definition of HashWX in BigInts gives the published values.

const sha256Hex = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
const hexWords = (words: readonly bigint[]) => words.map(hexWord);
const numbers = ({ opcode, dst, src, imm }: Slot) => [opcode, dst, src, Number(imm)];

t.test('the permutations equal the published ones', async (t) => {
  t.equal(permutations.length, vectors.permutations.count);
  t.equal(sha256Hex(permutations.join('')), vectors.permutations.sha256OfJoinedText);
  for (const [at, text] of Object.entries(vectors.permutations.samples))
    t.equal(permutations[Number(at)], text);
});

for (const [i, trace] of vectors.traces.entries()) {
  t.test(`every inner value of trace ${i}`, async (t) => {
    const model = makeModel(Buffer.from(trace.seed, 'hex'));
    t.same(hexWords(model.programKey), trace.programKey);
    t.same(hexWords(model.inputKey), trace.inputKey);
    t.same(hexWords(model.words.slice(0, 16)), trace.words);
    t.same(model.programs[0]!.map(numbers), trace.program0);
    t.same(model.programs[31]!.map(numbers), trace.program31);
    t.equal(sha256Hex(Uint8Array.from(model.programs.flat().flatMap(numbers))), trace.programsSha256);
    const found = model.trace(BigInt(trace.nonce));
    t.same(hexWords(found.registersInit), trace.registersInit);
    t.same(hexWords(found.registersAfterWrite), trace.registersAfterWrite);
    t.same(hexWords(found.registersAfterRead), trace.registersAfterRead);
    t.equal(found.jumpsWrite, trace.jumpsWrite);
    t.equal(found.jumpsRead, trace.jumpsRead);
    t.equal(sha256Hex(found.memory), trace.memorySha256);
    t.equal(hexWord(found.hash), trace.hash);
  });
}

t.test('all 1,200 hashes', async (t) => {
  for (const { seed, hashes } of hashVectors) {
    const model = makeModel(seed);
    t.same(
      hashes.map(({ nonce }) => hexWord(model.trace(nonce).hash)),
      hashes.map(({ hash }) => hexWord(hash)),
    );
  }
});
