// The token cache: one reading per token, expiry in time, a size limit, and no cached rejections.

import t from 'tap';
import { cacheTokens } from '../../../src/http/tokens/token-codec.js';
import type { TokenReading } from '../../../src/schemas/token-claims.js';

interface Claims {
  readonly exp: number;
}

/** Builds a reader of numeric tokens: a positive one is valid until that many milliseconds. */
function build(most: number) {
  const asked: string[] = [];
  const clock = { nowMs: 0 };
  const readToken = (token: string): TokenReading<Claims> => {
    asked.push(token);
    const exp = Number(token);
    if (!(exp > 0)) return { ok: false, reason: 'invalid' };
    return clock.nowMs < exp ? { ok: true, claims: { exp } } : { ok: false, reason: 'expired' };
  };
  const read = cacheTokens(
    readToken,
    most,
    ({ exp }) => exp,
    () => clock.nowMs,
  );
  return { read, asked, clock };
}

t.test('a valid token is read once, and always returns the same reading', async (t) => {
  const { read, asked } = build(2);
  for (let i = 0; i < 3; i++) t.strictSame(read('100'), { ok: true, claims: { exp: 100 } });
  t.strictSame(asked, ['100']);
});

t.test(
  'a cached token expires to the millisecond, and is valid again if the clock is set back',
  async (t) => {
    const { read, clock } = build(2);
    t.match(read('100'), { ok: true });
    clock.nowMs = 99;
    t.match(read('100'), { ok: true });
    clock.nowMs = 100;
    t.strictSame(read('100'), { ok: false, reason: 'expired' });
    clock.nowMs = 50;
    t.match(read('100'), { ok: true });
  },
);

t.test('rejected tokens are not cached, and displace no entry', async (t) => {
  const { read, asked } = build(1);
  read('100');
  for (let i = 0; i < 50; i++) t.strictSame(read('-1'), { ok: false, reason: 'invalid' });
  read('100');
  t.equal(asked.filter((token) => token === '100').length, 1);
});

t.test('a token in use stays cached, an unused one is dropped', async (t) => {
  const { read, asked } = build(2);
  for (const token of ['100', '200', '100', '300', '100', '400', '500', '100', '200'])
    t.match(read(token), { ok: true });
  t.strictSame(asked, ['100', '200', '300', '400', '500', '200']);
});
