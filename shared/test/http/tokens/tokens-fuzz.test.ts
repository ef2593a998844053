// A million random and mutated tokens: one answer, no exception, and no more than one decryption each.

import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import '@fastify/jwt';
import fc from 'fast-check';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { createEnvelope, MAX_TOKEN_CHARACTERS, type TokenKind } from '../../../src/crypto/envelope.js';
import tokensPlugin from '../../../src/http/tokens/tokens.js';
import { BYTE_MUTATIONS, type Dice, from, INNER_MUTATIONS, TEXT_MUTATIONS } from './token-mutants.js';
import {
  type Answer,
  ENCRYPTION,
  issueTokens,
  KINDS,
  nonceOf,
  otherKind,
  RINGS,
  signingOf,
} from './valid-tokens.js';

const TOKENS = 1_000_000;
const SEED = 3_030_915;
// A busy machine takes several times as long; tap gives a file 30 seconds.
t.setTimeout(300_000);

// Refusals are exceptions internally, and a fifth of their cost is an unused stack.
const { stackTraceLimit } = Error;
Error.stackTraceLimit = 0;
t.teardown(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

/** How often each operation ran. */
interface Work {
  decodings: number;
  decryptions: number;
  verifications: number;
}

async function openTokens(t: Test) {
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(tokensPlugin, {
    accessSecrets: RINGS.access,
    refreshSecrets: RINGS.refresh,
    encryptionKeys: ENCRYPTION,
  });
  await app.ready();
  return app;
}

/** Counts the operations of a reading, by patching them. */
function countWork(t: Test, app: Awaited<ReturnType<typeof openTokens>>): Work {
  const work: Work = { decodings: 0, decryptions: 0, verifications: 0 };
  const { createDecipheriv } = crypto;
  crypto.createDecipheriv = ((...args: Parameters<typeof createDecipheriv>) => {
    work.decryptions += 1;
    return createDecipheriv(...args);
  }) as typeof createDecipheriv;
  syncBuiltinESMExports();
  // A token is decoded in a buffer, which it is written to.
  const { write } = Buffer.prototype;
  Buffer.prototype.write = function (this: Buffer, ...args: Parameters<typeof write>) {
    work.decodings += 1;
    return write.apply(this, args);
  } as typeof write;
  t.teardown(() => {
    crypto.createDecipheriv = createDecipheriv;
    syncBuiltinESMExports();
    Buffer.prototype.write = write;
  });
  const namespaces = app.jwt as unknown as Record<string, { verify(token: string): unknown }>;
  for (const name of KINDS.flatMap((kind) => RINGS[kind].all.map(({ id }) => `${kind}_${id}`))) {
    const namespace = namespaces[name];
    if (namespace === undefined) throw new TypeError(`no namespace ${name}`);
    const verify = namespace.verify.bind(namespace);
    namespace.verify = (token) => {
      work.verifications += 1;
      return verify(token);
    };
  }
  return work;
}

type Layer = 'inner' | 'bytes' | 'text';

/** The layers that a mutation changes. A text is the cheapest to refuse and the easiest to send. */
const CHANGED: readonly (readonly Layer[])[] = [
  ...Array.from({ length: 8 }, (): Layer[] => ['text']),
  ...Array.from({ length: 6 }, (): Layer[] => ['bytes']),
  ...Array.from({ length: 3 }, (): Layer[] => ['inner']),
  ['bytes', 'text'],
  ['inner', 'bytes'],
  [],
];

/** How a valid token is changed. */
interface Recipe extends Dice {
  readonly source: number;
  readonly other: number;
  readonly changed: readonly Layer[];
  readonly mutation: number;
  /** Whether it is read as the other kind. */
  readonly swapped: boolean;
}

const number = fc.nat(2 ** 31 - 1);
// A tuple takes a quarter of the time of a record.
const recipes = fc.tuple(
  ...([number, number, number, number, number] as const),
  fc.nat(CHANGED.length - 1),
  fc.nat(19),
);

type Numbers = typeof recipes extends fc.Arbitrary<infer T> ? T : never;

function toRecipe([a, b, source, other, mutation, changed, twentieth]: Numbers): Recipe {
  return { a, b, source, other, mutation, changed: from(CHANGED, changed), swapped: twentieth === 0 };
}

t.test(
  'a million random and mutated tokens: one answer, no exception, at most one decryption each',
  async (t) => {
    const app = await openTokens(t);
    const issued = issueTokens();
    const right = {
      access: new Map(
        issued.filter(({ kind }) => kind === 'access').map(({ text, answer }) => [text, answer]),
      ),
      refresh: new Map(
        issued.filter(({ kind }) => kind === 'refresh').map(({ text, answer }) => [text, answer]),
      ),
    };
    // Looking a text up costs as much as reading many a one; few have the length of a right one.
    const lengths = {
      access: new Set([...right.access.keys()].map(({ length }) => length)),
      refresh: new Set([...right.refresh.keys()].map(({ length }) => length)),
    };
    const envelopes = {
      access: createEnvelope('access', ENCRYPTION),
      refresh: createEnvelope('refresh', ENCRYPTION),
    };
    const signings = {
      access: RINGS.access.all.map((key) => signingOf('access', key, 1)),
      refresh: RINGS.refresh.all.map((key) => signingOf('refresh', key, 1)),
    };

    const mutate = ({ changed, mutation, ...dice }: Recipe): { kind: TokenKind; token: string } => {
      const source = from(issued, dice.source);
      const other = from(issued, dice.other);
      const { kind } = source;
      let { text: token, bytes } = source;
      for (const layer of changed) {
        if (layer === 'inner') {
          const signing = from(signings[kind], dice.other);
          token = envelopes[kind].seal(from(INNER_MUTATIONS, mutation)(signing, dice), nonceOf(dice.a));
          bytes = Buffer.from(decodeURIComponent(token), 'base64');
        } else if (layer === 'bytes') {
          bytes = from(BYTE_MUTATIONS, mutation)(bytes, other.bytes, dice);
          token = encodeURIComponent(bytes.toString('base64'));
        } else token = from(TEXT_MUTATIONS, mutation)(token, other.text, dice);
      }
      return { kind: dice.swapped ? otherKind(kind) : kind, token };
    };

    const work = countWork(t, app);
    const reached = { tooLong: 0, decoded: 0, decrypted: 0, verified: 0, right: 0 };
    let slowestMs = 0;
    let readingMs = 0;
    fc.assert(
      fc.property(recipes, (numbers) => {
        const { kind, token } = mutate(toRecipe(numbers));
        const expected = (lengths[kind].has(token.length) && right[kind].get(token)) || 'invalid';
        Object.assign(work, { decodings: 0, decryptions: 0, verifications: 0 });
        const beganMs = performance.now();
        const reading = app.tokens[kind].read(token);
        const tookMs = performance.now() - beganMs;
        readingMs += tookMs;
        slowestMs = Math.max(slowestMs, tookMs);

        const answer: Answer = reading.ok ? 'ok' : reading.reason;
        if (answer !== expected)
          throw new Error(`${kind}: ${answer}, not ${expected}: ${JSON.stringify(token)}`);
        if (!reading.ok && Object.keys(reading).length !== 2)
          throw new Error('a refusal says more than its reason');
        const tooLong = token.length > MAX_TOKEN_CHARACTERS;
        const { decodings, decryptions, verifications } = work;
        // A valid access token may be cached from before; a refused one is verified each time.
        const isCached = decodings === 0 && kind === 'access' && answer === 'ok';
        if (!isCached && decodings !== (tooLong ? 0 : 1))
          throw new Error(`${decodings} decodings of ${token.length} characters`);
        if (decryptions > decodings || verifications > decryptions) {
          throw new Error(
            `${decryptions} decryptions, ${verifications} verifications: ${JSON.stringify(token)}`,
          );
        }
        reached.tooLong += Number(tooLong);
        reached.decoded += decodings;
        reached.decrypted += decryptions;
        reached.verified += verifications;
        reached.right += Number(expected !== 'invalid');
      }),
      { numRuns: TOKENS, seed: SEED },
    );

    t.comment(
      Object.entries(reached)
        .map(([stage, times]) => `${stage} ${times}`)
        .join(', '),
    );
    t.comment(
      `${((1000 * readingMs) / TOKENS).toFixed(1)} microseconds each, the slowest ${slowestMs.toFixed(1)} ms`,
    );
    for (const [stage, times] of Object.entries(reached))
      t.ok(times >= TOKENS / 100, `${stage}: ${times} tokens`);
  },
);
