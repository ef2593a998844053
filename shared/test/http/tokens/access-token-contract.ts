// The contract of access tokens in every format.

import { anyCharacter } from '@tollgate/test-support/any-character.js';
import fc from 'fast-check';
import Fastify from 'fastify';
import type { Test } from 'tap';
import { openKeyRing } from '../../../src/crypto/key-ring.js';
import { createSigningKey, openSigningKeys } from '../../../src/crypto/signing-keys.js';
import type { TokenCodec } from '../../../src/http/tokens/token-codec.js';
import tokens, { type TokenOptions } from '../../../src/http/tokens/tokens.js';
import type { AccessClaims } from '../../../src/schemas/token-claims.js';

export const INVALID = { ok: false, reason: 'invalid' };
const EXPIRED = { ok: false, reason: 'expired' };

export const NAMES = {
  issuer: 'https://auth.example.com',
  audiences: ['https://api.example.com'],
  clientId: 'tollgate',
};

export const nowSeconds = () => Math.floor(Date.now() / 1000);

export function accessClaims(changes: Partial<AccessClaims> = {}): AccessClaims {
  const iat = nowSeconds();
  return { id: 1, email: 'demo@example.com', sid: 'A'.repeat(22), gen: 1, iat, exp: iat + 900, ...changes };
}

/** The keys of access tokens: a list of secrets, or of signing keys. */
interface Format {
  readonly name: string;
  /** Two elements of a list of keys. */
  readonly keys: readonly [string, string];
  options(list: string): Pick<TokenOptions, 'accessSecrets' | 'publicTokens'>;
}

const publicFormat = (algorithm: 'ES256' | 'EdDSA'): Format => ({
  name: `public, ${algorithm}`,
  keys: [createSigningKey(algorithm), createSigningKey(algorithm)],
  options: (list) => ({ publicTokens: { ...NAMES, keys: openSigningKeys(list), issued: true } }),
});

export const FORMATS: readonly Format[] = [
  {
    name: 'sealed',
    keys: ['access-secret-of-the-tests-000001', 'another-key-of-the-tests-00000002'],
    options: (list) => ({ accessSecrets: openKeyRing(list) }),
  },
  publicFormat('ES256'),
  publicFormat('EdDSA'),
];

/** Opens the token functions of a service. */
export async function openAccess(
  t: Test,
  options: Pick<TokenOptions, 'accessSecrets' | 'publicTokens' | 'onIssued'>,
): Promise<TokenCodec<AccessClaims>> {
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(tokens, {
    ...options,
    refreshSecrets: openKeyRing('refresh-secret-of-the-tests-00001'),
    encryptionKeys: openKeyRing('encryption-key-of-the-tests-00001'),
  });
  await app.ready();
  return app.tokens.access;
}

/** Runs with a different clock of the process, because the verifier has no clock parameter. */
function atLater<T>(seconds: number, read: () => T): T {
  const now = Date.now;
  Date.now = () => now() + seconds * 1000;
  try {
    return read();
  } finally {
    Date.now = now;
  }
}

/** Runs the contract. */
export async function testFormat(t: Test, { keys: [old, next], options }: Format): Promise<void> {
  const access = await openAccess(t, options(old));
  const now = nowSeconds();

  const whole = accessClaims({ id: Number.MAX_SAFE_INTEGER, email: 'é+%@例え.jp', gen: 12 });
  t.strictSame(access.read(access.issue(whole)), { ok: true, claims: whole }, 'the claims, and no others');
  const texts = accessClaims({ id: 'auth0|6ba7b810-9dad-11d1-80b4-00c04fd430c8' });
  t.strictSame(access.read(access.issue(texts)), { ok: true, claims: texts }, 'an id that is a text');
  const further = { ...accessClaims(), amr: ['pwd'], iss: 'https://evil.example' };
  t.match(
    access.read(access.issue(further)),
    { ok: true, claims: { amr: ['pwd'] } },
    'claims that are added',
  );

  const wrong = [
    { id: 0 },
    { id: 1.5 },
    { id: '7' },
    { id: 'a:b' },
    { id: 'a\n' },
    { id: 'x'.repeat(65) },
    { email: '' },
    { sid: 'A'.repeat(21) },
    { gen: 0 },
    { iat: -1 },
  ];
  for (const changes of wrong) {
    t.strictSame(access.read(access.issue(accessClaims(changes))), INVALID, JSON.stringify(changes));
  }
  for (const name of ['id', 'email', 'sid', 'gen', 'exp'] as const) {
    const { [name]: _left, ...others } = accessClaims();
    t.strictSame(access.read(access.issue(others as AccessClaims)), INVALID, `without ${name}`);
  }

  const exp = now + 100;
  const token = access.issue(accessClaims({ exp }));
  const left = exp - Date.now() / 1000;
  t.match(access.read(token), { ok: true });
  t.match(
    atLater(left + 4, () => access.read(token)),
    { ok: true },
  );
  t.strictSame(
    atLater(left + 6, () => access.read(token)),
    EXPIRED,
    'although it was cached as valid',
  );
  t.strictSame(access.read(access.issue(accessClaims({ exp: now - 7 }))), EXPIRED);
  t.strictSame(access.read(access.issue(accessClaims({ iat: now + 10 }))), INVALID, 'from tomorrow');
  t.match(access.read(access.issue(accessClaims({ iat: now + 4 }))), { ok: true }, 'a clock slightly ahead');

  const stages = [old, `${old},${next}`, `${next},${old}`, next];
  const nodes = await Promise.all(stages.map((list) => openAccess(t, options(list))));
  const issued = nodes.map((node) => node.issue(accessClaims()));
  // Rows: the reading node; columns: the issuing node.
  t.strictSame(
    nodes.map((node) => issued.map((each) => node.read(each).ok)),
    [
      [true, true, false, false],
      [true, true, true, true],
      [true, true, true, true],
      [false, false, true, true],
    ],
    'a key changes in three rollouts without a refused token',
  );

  const valid = access.issue(accessClaims());
  const at = fc.nat(valid.length - 1);
  const character = fc.constantFrom(...'AZaz09+/=% -_.!~\0é\n');
  const changed = fc.oneof(
    fc.tuple(at, character).map(([to, one]) => valid.slice(0, to) + one + valid.slice(to + 1)),
    fc.tuple(at, character).map(([to, one]) => valid.slice(0, to) + one + valid.slice(to)),
    fc.tuple(at, character).map(([to]) => valid.slice(0, to)),
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    fc.constantFrom('', '.', '..', '...', `${valid}.`, `${valid}\n`, `${valid}=`, 'x'.repeat(5000)),
  );
  const wrongly = fc
    .sample(changed, { numRuns: 3000, seed: 1 })
    .filter((text) => text !== valid && JSON.stringify(access.read(text)) !== JSON.stringify(INVALID));
  t.strictSame(wrongly, [], 'no other text is read, and none throws');
  t.match(access.read(valid), { ok: true });
}
