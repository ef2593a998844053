// A million random and mutated tokens: one result, no exception, and at most one decryption each.

import '@fastify/jwt';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { createEnvelope, MAX_TOKEN_CHARACTERS } from '../../../src/crypto/envelope.js';
import tokensPlugin from '../../../src/http/tokens/tokens.js';
import { BYTE_MUTATIONS, type Dice, from, INNER_MUTATIONS, TEXT_MUTATIONS } from './token-mutants.js';
import {
  type Answer,
  ENCRYPTION,
  type Issued,
  issueTokens,
  KINDS,
  nonceOf,
  otherKind,
  RINGS,
  signingOf,
} from './valid-tokens.js';

const TOKENS = 1_000_000;
const SEED = 3_030_915;
// Rejections are exceptions internally, and a fifth of their cost is an unused stack.
const { stackTraceLimit } = Error;
Error.stackTraceLimit = 0;
t.teardown(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

/** Number of calls of each operation. */
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
  const { from } = Buffer;
  Buffer.from = ((...args: Parameters<typeof from>) => {
    // The library that verifies a signature decodes the parts of the signed text.
    if ((args as unknown[])[1] === 'base64' && args[0] !== '' && work.verifications === 0)
      work.decodings += 1;
    return from(...args);
  }) as typeof from;
  t.teardown(() => {
    crypto.createDecipheriv = createDecipheriv;
    syncBuiltinESMExports();
    Buffer.from = from;
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

/** The layers that a mutation changes. A text is the cheapest to reject and the easiest to send. */
const CHANGED: readonly (readonly Layer[])[] = [
  ...Array.from({ length: 8 }, (): Layer[] => ['text']),
  ...Array.from({ length: 6 }, (): Layer[] => ['bytes']),
  ...Array.from({ length: 3 }, (): Layer[] => ['inner']),
  ['bytes', 'text'],
  ['inner', 'bytes'],
  [],
];

/** A change of a valid token. One object serves all cases, since a million would cost as much as their changes. */
interface Recipe extends Dice {
  a: number;
  b: number;
  source: number;
  other: number;
  changed: readonly Layer[];
  mutation: number;
  /** Whether it is read as the other kind. */
  swapped: boolean;
}

/** Exclusive upper bound of every number in a recipe. */
const NUMBERS = 2 ** 31;

/**
 * Returns a function that writes the recipe of a case, from 0, into `recipe`: the same for the same seed, regardless of
 * previous cases.
 */
function recipesOf(seed: number, recipe: Recipe): (number: number) => void {
  let state = 0;
  // A counter with its bits mixed (the finaliser of MurmurHash3): one case needs no state of another.
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 1;
  };
  return (number) => {
    state = Math.imul(seed + number, 0x2545f491);
    // One case in four changes a token near its beginning, or near the maximum of the numbers.
    const near = next() & 7;
    const place = next();
    recipe.a = near === 0 ? place & 15 : near === 1 ? NUMBERS - 1 - (place & 15) : place;
    recipe.b = next();
    recipe.source = next();
    recipe.other = next();
    recipe.mutation = next();
    recipe.changed = from(CHANGED, next());
    recipe.swapped = next() % 20 === 0;
  };
}

t.test(
  'a million random and mutated tokens: one result, no exception, at most one decryption each',
  async (t) => {
    const app = await openTokens(t);
    const issued = issueTokens();
    const answersOf = (kind: Issued['kind']) =>
      new Map(
        issued
          .filter((each) => each.kind === kind)
          .map(({ bytes, answer }) => [bytes.toString('base64'), answer]),
      );
    const right = { access: answersOf('access'), refresh: answersOf('refresh') };
    const envelopes = {
      access: createEnvelope('access', ENCRYPTION),
      refresh: createEnvelope('refresh', ENCRYPTION),
    };
    const signings = {
      access: RINGS.access.all.map((key) => signingOf('access', key, 1)),
      refresh: RINGS.refresh.all.map((key) => signingOf('refresh', key, 1)),
    };

    const recipe: Recipe = { a: 0, b: 0, source: 0, other: 0, changed: [], mutation: 0, swapped: false };
    const writeRecipe = recipesOf(SEED, recipe);
    const mutate = (source: Issued): string => {
      const { kind } = source;
      const { changed, mutation } = recipe;
      const other = from(issued, recipe.other);
      let token = source.text;
      let isSealed = false;
      for (const layer of changed) {
        if (layer === 'inner') {
          const signing = from(signings[kind], recipe.other);
          token = envelopes[kind].seal(from(INNER_MUTATIONS, mutation)(signing, recipe), nonceOf(recipe.a));
          isSealed = true;
        } else if (layer === 'bytes') {
          const bytes = isSealed ? Buffer.from(decodeURIComponent(token), 'base64') : source.bytes;
          token = encodeURIComponent(
            from(BYTE_MUTATIONS, mutation)(bytes, other.bytes, recipe).toString('base64'),
          );
        } else token = from(TEXT_MUTATIONS, mutation)(token, other.text, recipe);
      }
      return token;
    };

    const work = countWork(t, app);
    const reached = { tooLong: 0, decoded: 0, decrypted: 0, verified: 0, right: 0 };
    const check = () => {
      const source = from(issued, recipe.source);
      const kind = recipe.swapped ? otherKind(source.kind) : source.kind;
      const token = mutate(source);
      const tooLong = token.length > MAX_TOKEN_CHARACTERS;
      const expected = (!tooLong && right[kind].get(decodedTwice(token))) || 'invalid';
      work.decodings = 0;
      work.decryptions = 0;
      work.verifications = 0;
      const reading = app.tokens[kind].read(token);

      const answer: Answer = reading.ok ? 'ok' : reading.reason;
      if (answer !== expected)
        throw new Error(`${kind}: ${answer}, not ${expected}: ${JSON.stringify(token)}`);
      if (!reading.ok && Object.keys(reading).length !== 2)
        throw new Error(`${kind}: a refusal says more than its reason: ${JSON.stringify(token)}`);
      const { decodings, decryptions, verifications } = work;
      if (decodings > (tooLong ? 0 : 1))
        throw new Error(
          `${kind}: ${decodings} decodings of ${token.length} characters: ${JSON.stringify(token)}`,
        );
      if (decryptions > decodings || verifications > decryptions) {
        throw new Error(
          `${kind}: ${decryptions} decryptions, ${verifications} verifications: ${JSON.stringify(token)}`,
        );
      }
      reached.tooLong += Number(tooLong);
      reached.decoded += decodings;
      reached.decrypted += decryptions;
      reached.verified += verifications;
      reached.right += Number(expected !== 'invalid');
    };
    for (let number = 0; number < TOKENS; number++) {
      writeRecipe(number);
      try {
        check();
      } catch (cause) {
        throw new Error(`case ${number} of seed ${SEED}, ${JSON.stringify(recipe)}`, { cause });
      }
    }

    t.comment(
      Object.entries(reached)
        .map(([stage, times]) => `${stage} ${times}`)
        .join(', '),
    );
    for (const [stage, times] of Object.entries(reached))
      t.ok(times >= TOKENS / 100, `${stage}: ${times} tokens`);
  },
);

/** The text after two percent-decodings; decoding a text without percent signs changes nothing. */
function decodedTwice(token: string): string {
  try {
    return decodeURIComponent(decodeURIComponent(token));
  } catch {
    return '';
  }
}
