// The definition of HashWX in BigInts gives the published values.
import { createHash } from 'node:crypto';
import { makeModel, permutations, type Slot } from '@tollgate/test-support/hashwx/model.js';
import { hashVectors, hexWord, vectors } from '@tollgate/test-support/hashwx/vectors.js';
import t from 'tap';

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
const hexWords = (words: readonly bigint[]) => words.map(hexWord);
const numbers = ({ opcode, dst, src, imm }: Slot) => [opcode, dst, src, Number(imm)];

t.test('the permutations equal the published ones', async (t) => {
  t.equal(permutations.length, vectors.permutations.count);
  t.equal(sha256(permutations.join('')), vectors.permutations.sha256OfJoinedText);
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
    t.equal(sha256(Uint8Array.from(model.programs.flat().flatMap(numbers))), trace.programsSha256);
    const found = model.trace(BigInt(trace.nonce));
    t.same(hexWords(found.registersInit), trace.registersInit);
    t.same(hexWords(found.registersAfterWrite), trace.registersAfterWrite);
    t.same(hexWords(found.registersAfterRead), trace.registersAfterRead);
    t.equal(found.jumpsWrite, trace.jumpsWrite);
    t.equal(found.jumpsRead, trace.jumpsRead);
    t.equal(sha256(found.memory), trace.memorySha256);
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
