// Page tokens: one format beside each of access tokens, and no token that passes for another.

import fc from 'fast-check';
import t from 'tap';
import { createEnvelope } from '../../../src/crypto/envelope.js';
import { openKeyRing } from '../../../src/crypto/key-ring.js';
import { createSigningKey, deriveSigningKeys, openSigningKeys } from '../../../src/crypto/signing-keys.js';
import { openPageTokens } from '../../../src/http/tokens/page-tokens.js';
import { createPublicIssuer, createPublicReader } from '../../../src/http/tokens/public-tokens.js';

/** The reader of public tokens has the machine's own time. */
const NOW = Math.floor(Date.now() / 1000);
const claims = {
  id: 7,
  email: 'ann@example.com',
  sid: 'AAAAAAAAAAAAAAAAAAAAAA',
  gen: 1,
  iat: NOW,
  exp: NOW + 900,
  amr: ['pwd'],
  auth_time: NOW - 60,
  claims: { role: 'admin' },
};
const encryptionKeys = openKeyRing(
  'encryption-key-of-this-test-0123456789,another-key-of-this-test-0123456789',
);
const refreshSecrets = openKeyRing('refresh-secret-of-this-test-0123456789');
const names = { issuer: 'https://example.com', audiences: ['https://example.com'], clientId: 'tollgate' };

function codec(list?: string, issued = true, nowSeconds = NOW) {
  const publicTokens = list === undefined ? undefined : { ...names, keys: openSigningKeys(list), issued };
  return openPageTokens({ encryptionKeys, refreshSecrets, publicTokens, clock: () => nowSeconds * 1000 });
}

const LISTS = {
  sealed: undefined,
  ES256: createSigningKey('ES256'),
  EdDSA: createSigningKey('EdDSA'),
};
const all = Object.entries(LISTS);

t.test('a token returns its claims until it expires', async (t) => {
  for (const [name, list] of all) {
    const token = codec(list).issue(claims);
    t.strictSame(codec(list).read(token), { ok: true, claims }, name);
    t.strictSame(
      codec(list).read(decodeURIComponent(token)),
      { ok: true, claims },
      'decoded by a cookie parser',
    );
    const expired = codec(list).issue({ ...claims, iat: NOW - 60, exp: NOW - 5 });
    t.strictSame(codec(list).read(expired), { ok: false, reason: 'expired' });
    t.strictSame(codec(list, true, NOW - 6).read(token), { ok: false, reason: 'invalid' }, 'of the future');
    t.equal(codec(list, true, NOW - 5).read(token).ok, true, 'of a clock five seconds ahead');
    const same = codec(list);
    for (let times = 0; times < 2; times++) t.equal(same.read(token).ok, true, 'also from the cache');
  }
});

t.test('a sealed token is read until five seconds after its expiry', async (t) => {
  const token = codec().issue(claims);
  t.equal(codec(undefined, true, NOW + 904).read(token).ok, true);
  t.strictSame(codec(undefined, true, NOW + 905).read(token), { ok: false, reason: 'expired' });
});

t.test('the time is that of the machine by default', async (t) => {
  const { issue, read } = openPageTokens({ encryptionKeys, refreshSecrets });
  t.equal(read(issue(claims)).ok, true);
  t.strictSame(read(issue({ ...claims, iat: NOW - 60, exp: NOW - 30 })), { ok: false, reason: 'expired' });
});

t.test('a changed token is invalid', async () => {
  for (const [, list] of all) {
    const { issue, read } = codec(list);
    const token = decodeURIComponent(issue(claims));
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom('A', 'b', '0', '.', '=', '!', ''), (at, put) => {
        const changed = token.slice(0, at) + put + token.slice(at + 1);
        return changed === token || !read(changed).ok;
      }),
      { numRuns: 500 },
    );
  }
});

t.test('with signing keys both formats are read, and the configured one is issued', async (t) => {
  const list = LISTS.ES256;
  const sealed = codec(list, false).issue(claims);
  t.notMatch(sealed, /\./);
  t.equal(codec(list).read(sealed).ok, true);
  t.match(codec(list).issue(claims), /^[\w-]+\.[\w-]+\.[\w-]+$/);
  const [head = ''] = codec(list).issue(claims).split('.');
  const { keys } = codec(list);
  t.strictSame(JSON.parse(Buffer.from(head, 'base64url').toString()), {
    alg: 'ES256',
    typ: 'page+jwt',
    kid: keys?.current.id,
  });
});

t.test('neither envelope, key, type nor audience of another token is accepted', async (t) => {
  for (const kind of ['access', 'refresh', 'device', 'pass', 'note'] as const) {
    const text = createEnvelope(kind, encryptionKeys).seal(JSON.stringify(claims));
    t.equal(codec().read(text).ok, false, kind);
    t.equal(createEnvelope(kind, encryptionKeys).open(codec().issue(claims)), null, kind);
  }
  const text = createEnvelope('page', encryptionKeys).seal(JSON.stringify({ ...claims, sid: 'short' }));
  t.equal(codec().read(text).ok, false, 'other claims');
  for (const list of [LISTS.ES256, LISTS.EdDSA]) {
    const access = openSigningKeys(list);
    const page = codec(list);
    const derived = page.keys?.current;
    if (derived === undefined) throw new Error('there are signing keys');
    const clock = () => NOW * 1000;
    const readAccess = createPublicReader(() => [...access.all, derived], names, clock);
    t.equal(readAccess.read(page.issue(claims)).ok, false, 'as a bearer, even with its key');
    t.equal(readAccess.namesUnknownKey(page.issue(claims)), false, 'which is not worth a fetch of keys');
    const pageNames = { ...names, audiences: [`${names.issuer}#page`], type: 'page+jwt' } as const;
    t.equal(page.read(createPublicIssuer(derived, pageNames)(claims)).ok, true);
    for (const [changed, key] of [
      [pageNames, access.current],
      [{ ...pageNames, type: 'at+jwt' as const }, derived],
      [{ ...pageNames, audiences: names.audiences }, derived],
      [{ ...pageNames, issuer: 'https://other.example' }, derived],
    ] as const)
      t.equal(page.read(createPublicIssuer(key, changed)(claims)).ok, false);
  }
});

t.test('derived signing keys depend on the key and on the purpose', async (t) => {
  // HKDF-SHA256 of the bytes 0 to 31 with an empty salt, computed with Python's hmac.
  const known = openSigningKeys('EdDSA:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8');
  const derived = deriveSigningKeys(known, 'a purpose').current.privateKey.export({ format: 'jwk' });
  t.equal(derived.d, 'FCTQ90LjqZ7ndtowzAintf79S0NFIt2edxxUj5xSnxY');
  const list = `${LISTS.ES256},${LISTS.EdDSA}`;
  const keys = openSigningKeys(list);
  const ids = (purpose: string) => deriveSigningKeys(keys, purpose).all.map(({ id }) => id);
  t.strictSame(ids('a'), ids('a'));
  t.equal(new Set([...ids('a'), ...ids('b'), ...keys.all.map(({ id }) => id)]).size, 6);
  t.strictSame(
    deriveSigningKeys(keys, 'a').all.map(({ algorithm }) => algorithm),
    ['ES256', 'EdDSA'],
  );
});

t.test('each issued token is counted with the id of its key', async (t) => {
  const counted: string[] = [];
  const onIssued = (kind: string, id: string) => void counted.push(`${kind} ${id}`);
  const publicTokens = { ...names, keys: openSigningKeys(LISTS.ES256), issued: true };
  const open = openPageTokens({ encryptionKeys, refreshSecrets, publicTokens, onIssued });
  open.issue(claims);
  openPageTokens({ encryptionKeys, refreshSecrets, onIssued }).issue(claims);
  t.strictSame(counted, [`page ${open.keys?.current.id}`, `page ${encryptionKeys.current.id}`]);
});
