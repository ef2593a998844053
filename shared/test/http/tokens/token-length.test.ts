// Every issued token is accepted: the limits of user, authentication and token are consistent.

import Fastify from 'fastify';
import t from 'tap';
import { MAX_NAMES_BYTES } from '../../../src/config/token-formats.js';
import { MAX_TOKEN_CHARACTERS } from '../../../src/crypto/envelope.js';
import { openKeyRing } from '../../../src/crypto/key-ring.js';
import { createSigningKey, openSigningKeys } from '../../../src/crypto/signing-keys.js';
import tokens, { type PublicTokens } from '../../../src/http/tokens/tokens.js';
import { EMAIL_CHARACTERS } from '../../../src/schemas/session-bodies.js';
import {
  fitsTokens,
  MAX_CLAIMS_BYTES,
  MAX_USER_BYTES,
  readUserClaims,
} from '../../../src/schemas/user-claims.js';
import { MAX_USER_ID_CHARACTERS } from '../../../src/schemas/user-id.js';

/** The cookie size limit of browsers, 4,096 bytes including the name. */
const LONGEST_COOKIE = 4096 - '__Host-refreshToken='.length;

/** The longest claims besides an address. */
function longestClaims(email: string) {
  for (let length = MAX_CLAIMS_BYTES; length >= 0; length--) {
    const claims = readUserClaims({ a: 'x'.repeat(length) });
    if (claims && fitsTokens(email, claims)) return claims;
  }
  return undefined;
}

async function openTokens(format: 'sealed' | 'public') {
  const app = Fastify();
  t.teardown(() => app.close());
  const names = (MAX_NAMES_BYTES - 12) / 3;
  const publicTokens: PublicTokens = {
    keys: openSigningKeys(createSigningKey('ES256')),
    issued: format === 'public',
    issuer: 'i'.repeat(names),
    audiences: ['a'.repeat(names / 2), 'b'.repeat(names / 2 - 3)],
    clientId: 'c'.repeat(names),
  };
  await app.register(tokens, {
    accessSecrets: openKeyRing('a'.repeat(32)),
    refreshSecrets: openKeyRing('b'.repeat(32)),
    encryptionKeys: openKeyRing('c'.repeat(32)),
    publicTokens,
  });
  await app.ready();
  return app.tokens;
}

for (const format of ['sealed', 'public'] as const) {
  t.test(`every ${format} token at the extremes of the limits is accepted`, async (t) => {
    const { access, refresh } = await openTokens(format);
    const emails = ['e', 'é', 'ก', '😀', '"', '\\'].map((letter) =>
      letter.repeat(Math.floor(EMAIL_CHARACTERS / letter.length)),
    );
    for (const email of [...emails, 'a', 'x'.repeat(MAX_USER_BYTES)]) {
      const iat = Math.floor(Date.now() / 1000);
      const claims = longestClaims(email);
      const common = { email, sid: 'A'.repeat(22), gen: 999_999_999, iat, ...(claims && { claims }) };
      const id = 'u'.repeat(MAX_USER_ID_CHARACTERS);
      const amr = Array<string>(8).fill('m'.repeat(40));
      // The length added by percent-encoding is random.
      for (let n = 0; n < 40; n++) {
        const token = access.issue({ id, ...common, exp: iat + 900, amr, auth_time: 9_999_999_999 });
        if (token.length > MAX_TOKEN_CHARACTERS || !access.read(token).ok)
          t.fail(`${email.slice(0, 2)}: ${token.length} characters`);
        const cookie = refresh.issue({ sub: id, ...common, exp: iat + 604_800, prefix: '__Host-' });
        if (cookie.length > LONGEST_COOKIE || !refresh.read(cookie).ok)
          t.fail(`${email.slice(0, 2)}: a cookie of ${cookie.length} characters`);
      }
      t.pass(`${email.slice(0, 2)}…`);
    }
  });
}

t.test('address and claims share one limit, as encoded in tokens', async (t) => {
  const claims = { a: 'x'.repeat(MAX_CLAIMS_BYTES - 8) };
  t.equal(JSON.stringify(claims).length, MAX_CLAIMS_BYTES);
  t.ok(fitsTokens('e'.repeat(254), claims));
  t.notOk(fitsTokens('e'.repeat(255), claims));
  t.notOk(fitsTokens('é'.repeat(128), claims));
  t.notOk(fitsTokens('"'.repeat(128), claims), 'as JSON escapes them');
  t.ok(fitsTokens('ก'.repeat(254), undefined));
});
