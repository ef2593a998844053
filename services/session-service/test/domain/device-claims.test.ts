// Device cookies: bindings and voids, for any account, user and time.

import fc from 'fast-check';
import t from 'tap';
import {
  type DeviceLogIn,
  type DeviceVoid,
  deviceClaims,
  deviceKey,
  isForAccount,
  isVoid,
  nextVoid,
} from '../../src/domain/device-claims.js';

const TTL = 3600;
const logIn: fc.Arbitrary<DeviceLogIn> = fc.record({
  key: fc.string({ minLength: 1 }),
  user: fc.record({ id: fc.integer({ min: 1 }), hash: fc.string() }),
  sid: fc.stringMatching(/^[A-Za-z0-9]{22}$/),
  nowMs: fc.integer({ min: 0, max: 2 ** 45 }),
});

t.test(
  'a cookie is valid for its account until it expires, by its own lifetime and by the current one',
  async (t) => {
    const property = fc.property(
      logIn,
      fc.string(),
      fc.integer({ min: 1, max: 2 * TTL }),
      (one, other, ttl) => {
        const claims = deviceClaims(one, TTL);
        const shorterMs = Math.min(TTL, ttl) * 1000;
        const found = [
          isForAccount(claims, one.key, one.nowMs + shorterMs - 1, ttl),
          isForAccount(claims, one.key, one.nowMs + shorterMs, ttl),
          isForAccount(claims, other, one.nowMs, ttl),
        ];
        return found.join() === [true, false, other === one.key].join();
      },
    );
    t.doesNotThrow(() => fc.assert(property));
  },
);

t.test('another id or password hash voids it', async (t) => {
  const property = fc.property(logIn, logIn, (one, { user }) => {
    const claims = deviceClaims(one, TTL);
    const isSame = user.id === one.user.id && user.hash === one.user.hash;
    return (
      !isVoid(claims, one.user, undefined) &&
      isVoid(claims, user, undefined) === !isSame &&
      isVoid(claims, { ...one.user, hash: `${one.user.hash}x` }, undefined)
    );
  });
  t.doesNotThrow(() => fc.assert(property));
});

t.test('a later void voids it, except for the session that requested the void', async (t) => {
  const property = fc.property(logIn, fc.integer({ min: -5, max: 5 }), (one, laterMs) => {
    const claims = deviceClaims(one, TTL);
    const atMs = one.nowMs + laterMs;
    return (
      isVoid(claims, one.user, { atMs, exceptSid: undefined }) === laterMs >= 0 &&
      isVoid(claims, one.user, { atMs, exceptSid: 'another' }) === laterMs >= 0 &&
      !isVoid(claims, one.user, { atMs, exceptSid: one.sid })
    );
  });
  t.doesNotThrow(() => fc.assert(property));
});

t.test('a void cookie remains void, whichever session requests the next void', async (t) => {
  const asker = fc.constantFrom('a'.repeat(22), 'b'.repeat(22), undefined);
  const user = { id: 1, hash: 'hash' };
  const property = fc.property(fc.array(asker, { maxLength: 8 }), fc.nat(8), (askers, issuedAt) => {
    const claims = ['a', 'b'].map((letter) =>
      deviceClaims({ key: 'ann@example.com', user, sid: letter.repeat(22), nowMs: issuedAt }, TTL),
    );
    let latest: DeviceVoid | undefined;
    const wasVoid = claims.map(() => false);
    return askers.every((exceptSid, step) => {
      // Some cookies are issued in the same millisecond as a void.
      const atMs = step;
      latest = nextVoid(latest, atMs, exceptSid);
      return claims.every((one, place) => {
        if (one.issuedAtMs <= atMs && one.sid !== exceptSid) wasVoid[place] = true;
        return isVoid(one, user, latest) === wasVoid[place];
      });
    });
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }));
});

t.test('a void keeps an earlier one only for the session that remains known', async (t) => {
  const voided = { atMs: 1, exceptSid: 'a' };
  t.strictSame(nextVoid(undefined, 5, 'a'), { atMs: 5, exceptSid: 'a' });
  t.strictSame(nextVoid(voided, 5, undefined), { atMs: 5, exceptSid: undefined });
  t.strictSame(nextVoid(voided, 5, 'a'), { atMs: 5, exceptSid: 'a' });
  t.strictSame(nextVoid(voided, 5, 'b'), { atMs: 5, exceptSid: 'b', voidUntilMs: 1 });
});

t.test('two cookies of one account share no text, and name no account', async (t) => {
  const user = { id: 1, hash: 'hash' };
  const [one, other] = ['a', 'b'].map((letter) =>
    deviceClaims({ key: 'ann@example.com', user, sid: letter.repeat(22), nowMs: 1 }, TTL),
  );
  t.not(one?.account, other?.account);
  t.not(one?.password, other?.password);
  t.match(one, { account: /^[0-9a-f]{32}$/, password: /^[0-9a-f]{32}$/ });
  t.notMatch(JSON.stringify(one), 'ann');
  t.equal(deviceKey({ sid: 'a'.repeat(22) }), `Device ${'a'.repeat(22)}`);
});
