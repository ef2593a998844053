// Proof of a device key: challenges, page proofs, the bound cookie, browser session texts, and signed texts.

import { keyedHash, openKeyRing } from '@tollgate/shared/crypto';
import { newDevice, refreshProof, registration, signed } from '@tollgate/test-support/device-key.js';
import fc from 'fast-check';
import t from 'tap';
import { readCompactJws } from '../../src/domain/binding/compact-jws.js';
import {
  boundCookieName,
  boundThumbprint,
  challengeFor,
  challengeHeader,
  formatBoundCookie,
  headerText,
  isCurrentChallenge,
  MAX_PROOF_CHARACTERS,
  readBrowserJwt,
  readRefreshProof,
  registeredKey,
  registrationHeader,
  sessionInstructions,
} from '../../src/domain/binding/device-proof.js';
import { type DeviceKey, readDeviceKey } from '../../src/domain/binding/public-jwk.js';

const NOW = 1_800_000_000_000;
const SECRETS = ['a', 'b', 'c'].map((letter) => letter.repeat(32));
const ring = openKeyRing(SECRETS.slice(0, 2).join());
const rolled = openKeyRing([SECRETS[1], SECRETS[0]].join());
const foreign = openKeyRing(SECRETS[2] ?? '');
const SID = 'S'.repeat(22);
const ADDRESS = 'https://auth.example.com/refresh';

t.test(
  'a challenge is accepted for its lifetime, and one slice early because clocks of nodes differ',
  async (t) => {
    const purpose = fc.constantFrom(
      ['first', 300_000, 4] as const,
      ['bind', 60_000, 1] as const,
      ['renew', 60_000, 1] as const,
      ['proof', 300_000, 1] as const,
    );
    const property = fc.property(
      purpose,
      fc.integer({ min: -6, max: 8 }),
      fc.nat(299_999),
      fc.nat(299_999),
      ([name, sliceMs, accepted], slices, issuedMs, readMs) => {
        const issuedAtMs = NOW + (issuedMs % sliceMs);
        const text = challengeFor(ring, name, SID, issuedAtMs);
        const readAtMs = NOW + slices * sliceMs + (readMs % sliceMs);
        const expected = slices >= -1 && slices <= accepted;
        t.equal(isCurrentChallenge(ring, name, SID, readAtMs, text), expected);
        t.equal(
          isCurrentChallenge(rolled, name, SID, readAtMs, text),
          expected,
          'a key that moved still counts',
        );
        t.notOk(isCurrentChallenge(foreign, name, SID, readAtMs, text));
      },
    );
    t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }));
  },
);

t.test('a challenge is valid for one session and one purpose', async (t) => {
  const text = challengeFor(ring, 'proof', SID, NOW);
  t.match(text, /^[\w-]{22}$/);
  t.ok(isCurrentChallenge(ring, 'proof', SID, NOW, text));
  t.notOk(isCurrentChallenge(ring, 'first', SID, NOW, text));
  t.notOk(isCurrentChallenge(ring, 'proof', 'T'.repeat(22), NOW, text));
  for (const other of [undefined, '', [text], `${text}x`])
    t.notOk(isCurrentChallenge(ring, 'proof', SID, NOW, other));
});

t.test("a page's proof is read if it is signed for this route", async (t) => {
  const device = newDevice();
  const proof = readRefreshProof(refreshProof(device, ADDRESS, 'nonce'), ADDRESS);
  t.match(proof, {
    id: 'a1B2c3D4e5F6g7H8i9J0kL',
    nonce: 'nonce',
    compact: /^EC\./,
    thumbprint: /^[\w-]{43}$/,
  });
  t.strictSame(Object.keys(proof ?? {}).sort(), ['compact', 'id', 'nonce', 'thumbprint']);
  const ids = ['x'.repeat(16), 'x'.repeat(64)];
  for (const jti of ids)
    t.equal(readRefreshProof(refreshProof(device, ADDRESS, 'n', { payload: { jti } }), ADDRESS)?.id, jti);

  const right = refreshProof(device, ADDRESS, 'nonce');
  const wrong: Record<string, unknown> = {
    'no text': [right],
    'no token': 'x',
    'another address': refreshProof(device, `${ADDRESS}?x`, 'nonce'),
    'another type': refreshProof(device, ADDRESS, 'nonce', { header: { typ: 'JWT' } }),
    'no key': refreshProof(device, ADDRESS, 'nonce', { header: { jwk: undefined } }),
    'a key of RSA': refreshProof(newDevice('RS256'), ADDRESS, 'nonce', { header: { alg: 'RS256' } }),
    'the key of another': refreshProof(newDevice(), ADDRESS, 'nonce', { header: { jwk: device.jwk } }),
    ...Object.fromEntries(
      [
        { htm: 'GET' },
        { iat: '1' },
        { iat: 1.5 },
        { jti: 7 },
        { jti: 1_234_567_890_123_456 },
        { jti: 'x'.repeat(15) },
        { jti: 'x'.repeat(65) },
        { jti: `${'x'.repeat(20)}.` },
        { jti: `.${'x'.repeat(20)}` },
      ].map((payload) => [JSON.stringify(payload), refreshProof(device, ADDRESS, 'nonce', { payload })]),
    ),
  };
  for (const [what, text] of Object.entries(wrong)) t.equal(readRefreshProof(text, ADDRESS), undefined, what);
});

/**
 * Makes a text of exactly this many characters. A part never has 4n + 1 characters, so header and payload both grow.
 * @param make adds as many characters to its header and its payload
 */
function textOfLength(length: number, make: (header: string, payload: string) => string): string {
  const lacking = Math.floor(((length - make('', '').length) * 3) / 4) - 8;
  for (let header = 0; header < 3; header++)
    for (let payload = lacking; payload < lacking + 12; payload++) {
      const text = make('x'.repeat(header), 'x'.repeat(payload));
      if (text.length === length) return text;
    }
  throw new RangeError(`no text of ${length} characters`);
}

t.test('maximum text lengths', async (t) => {
  const device = newDevice();
  const proofOf = (kid: string, more: string) =>
    refreshProof(device, ADDRESS, 'nonce', { header: { kid }, payload: { more } });
  t.ok(readRefreshProof(textOfLength(MAX_PROOF_CHARACTERS, proofOf), ADDRESS));
  t.equal(readRefreshProof(textOfLength(MAX_PROOF_CHARACTERS + 1, proofOf), ADDRESS), undefined);
  const browserOf = (kid: string, jti: string) => registration(device, jti, { kid });
  t.ok(readBrowserJwt(textOfLength(4096, browserOf)));
  t.equal(readBrowserJwt(textOfLength(4097, browserOf)), undefined);
});

t.test(
  'a bound cookie proves its thumbprint for its session until it expires, with any key of the ring',
  async (t) => {
    const expiresAt = NOW / 1000;
    const cookie = formatBoundCookie(ring, { sid: SID, thumbprint: 'print', expiresAt });
    t.match(cookie, new RegExp(`^1\\.[0-9a-f]{8}\\.${SID}\\.print\\.${expiresAt}\\.[\\w-]{22}$`));
    t.equal(boundThumbprint(ring, [cookie], SID, NOW - 1), 'print');
    t.equal(boundThumbprint(rolled, [cookie], SID, NOW - 1), 'print');
    t.equal(boundThumbprint(ring, ['', 'x', cookie], SID, NOW - 1), 'print', 'beside cookies of others');
    t.equal(boundThumbprint(ring, [cookie], SID, NOW), undefined);
    t.equal(boundThumbprint(ring, [cookie], 'T'.repeat(22), NOW - 1), undefined);
    t.equal(boundThumbprint(foreign, [cookie], SID, NOW - 1), undefined);
    t.equal(boundThumbprint(ring, [], SID, NOW), undefined);
  },
);

t.test("the bound cookie has the refresh cookie's prefix", async (t) => {
  t.equal(boundCookieName(undefined), 'refreshBinding');
  t.equal(boundCookieName('__Secure-'), '__Secure-refreshBinding');
});

t.test('a modified bound cookie proves nothing', async (t) => {
  const cookie = formatBoundCookie(ring, { sid: SID, thumbprint: 'print', expiresAt: NOW });
  const property = fc.property(fc.nat(cookie.length - 1), fc.constantFrom(...'A1.z', ''), (at, character) => {
    const changed = cookie.slice(0, at) + character + cookie.slice(at + 1);
    return changed === cookie || boundThumbprint(ring, [changed], SID, 0) === undefined;
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }));
  const other = `2${cookie.slice(1, cookie.lastIndexOf('.'))}`;
  const mac = keyedHash(ring.current.derive('tollgate bound cookie'), other).toString('base64url');
  t.equal(boundThumbprint(ring, [`${other}.${mac}`], SID, 0), undefined, 'of another version');
  t.equal(boundThumbprint(ring, [`${cookie}.`], SID, 0), undefined);
  t.equal(boundThumbprint(ring, [`${cookie}.x`], SID, 0), undefined);
});

t.test('texts that start and continue a browser session', async (t) => {
  const options = {
    origin: 'https://auth.example.com',
    basePath: '/auth',
    cookie: 'refreshBinding',
    attributes: 'Path=/refresh',
    initiator: undefined,
  };
  const instructions = {
    session_identifier: SID,
    refresh_url: '/auth/refresh/renew',
    scope: { origin: 'https://auth.example.com', include_site: false },
    credentials: [{ type: 'cookie', name: 'refreshBinding', attributes: 'Path=/refresh' }],
  };
  t.strictSame(sessionInstructions(SID, options), instructions);
  t.strictSame(sessionInstructions(SID, { ...options, initiator: 'app.example.com' }), {
    ...instructions,
    allowed_refresh_initiators: ['app.example.com'],
  });
  t.equal(registrationHeader('abc', options), '(ES256 RS256);path="/auth/refresh/bind";challenge="abc"');
  t.equal(challengeHeader('abc', SID), `"abc";id="${SID}"`);
});

t.test("a browser's registration is read and contains its signing key", async (t) => {
  for (const device of [newDevice(), newDevice('RS256')]) {
    const jws = readBrowserJwt(registration(device, 'challenge'));
    t.equal(jws?.payload.jti, 'challenge');
    t.equal(jws && registeredKey(jws)?.algorithm, device.algorithm);
  }
  const device = newDevice();
  t.equal(readBrowserJwt(registration(device, 'challenge', { typ: 'JWT' })), undefined);
  t.equal(readBrowserJwt('x'), undefined);
  const keyless = readBrowserJwt(registration(device, 'challenge', { jwk: undefined }));
  t.equal(keyless && registeredKey(keyless), undefined);
  const stolen = readBrowserJwt(registration(newDevice(), 'challenge', { jwk: device.jwk }));
  t.ok(stolen);
  t.equal(stolen && registeredKey(stolen), undefined);
});

// Header texts of Device Bound Session Credentials, which anyone can send.

t.test('a header text is read bare or quoted, and without parameters', async (t) => {
  for (const value of ['a.b', '"a.b"', 'a.b;x=1', '"a.b" ; x="y"', 'a.b  ']) {
    t.equal(headerText(value), 'a.b', value);
  }
  for (const value of [undefined, '', 'a b', '"a', '"a"b', 'a"', ['a.b', 'a.b']]) {
    t.equal(headerText(value), '', String(value));
  }
});

t.test('long white space in a header is scanned once, not from each character', async (t) => {
  // With white space before and after the text, a header of 15,000 characters took 0.4 s.
  for (const space of ['\u00a0', '\t', ' ']) t.equal(headerText(`${space.repeat(15_000)}x`), '');
});

// Texts signed by devices: accepted formats and signature verification.

const encode = (text: string) => Buffer.from(text).toString('base64url');
const HEADER = encode('{"alg":"ES256"}');
const PAYLOAD = encode('{"jti":"a"}');

t.test('header and payload are read, and the signing key is recognised', async (t) => {
  for (const algorithm of ['ES256', 'RS256'] as const) {
    const [device, other] = [newDevice(algorithm), newDevice()];
    const key = readDeviceKey(device.jwk) as DeviceKey;
    const text = signed(device, { alg: algorithm, typ: 'x' }, { jti: 'é' });
    const jws = readCompactJws(text);
    t.strictSame([jws?.header, jws?.payload], [{ alg: algorithm, typ: 'x' }, { jti: 'é' }]);
    t.equal(jws?.isSignedBy(key), true);
    t.equal(jws?.isSignedBy(readDeviceKey(other.jwk) as DeviceKey), false);
    const [head, body, signature] = text.split('.');
    t.equal(readCompactJws(`${head}.${PAYLOAD}.${signature}`)?.isSignedBy(key), false, 'another payload');
    t.equal(readCompactJws(`${HEADER}.${body}.${signature}`)?.isSignedBy(key), false, 'another header');
    const named = readCompactJws(signed(device, { alg: 'none' }, {}));
    t.equal(named?.isSignedBy(key), false, 'another algorithm than that of the key');
  }
});

t.test('a text in any other format is not read', async (t) => {
  t.ok(readCompactJws(`${HEADER}.${PAYLOAD}.AA`));
  const texts = [
    '',
    HEADER,
    `${HEADER}.${PAYLOAD}`,
    `${HEADER}.${PAYLOAD}.`,
    `.${PAYLOAD}.AA`,
    `${HEADER}..AA`,
    `${HEADER}.${PAYLOAD}.AA.AA`,
    ` ${HEADER}.${PAYLOAD}.AA`,
    `${HEADER}.${PAYLOAD}.AA=`,
    `${HEADER}.${PAYLOAD}.A+A`,
    `${HEADER}.${PAYLOAD}.AA\n`,
  ];
  for (const text of texts) t.equal(readCompactJws(text), undefined, JSON.stringify(text));
  for (const part of ['null', '7', '"text"', '[]', '[{}]', '{', '']) {
    t.equal(readCompactJws(`${encode(part)}.${PAYLOAD}.AA`), undefined, `the header ${part}`);
    t.equal(readCompactJws(`${HEADER}.${encode(part)}.AA`), undefined, `the payload ${part}`);
  }
  t.equal(readCompactJws(`${encode('{"crit":[]}')}.${PAYLOAD}.AA`), undefined, 'an extension');
  t.doesNotThrow(() => fc.assert(fc.property(fc.string(), (text) => readCompactJws(text) === undefined)));
});
