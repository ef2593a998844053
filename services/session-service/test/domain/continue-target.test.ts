// The targets of `/refresh/continue`: nothing but an allowed origin.

import fc from 'fast-check';
import t from 'tap';
import { continueTarget, loginAddress } from '../../src/domain/continue-target.js';

const OPTIONS = {
  publicUrl: 'https://example.com/auth',
  origins: ['https://example.com:8443', 'https://example.com'],
  ownPath: '/auth/refresh/continue',
  loginUrl: '/sign-in?from=page',
};
const HOME = 'https://example.com/';
const target = (to: unknown) => continueTarget(to, OPTIONS).href;

t.test('paths of the own host, and addresses of allowed origins', async (t) => {
  t.equal(target('/orders'), 'https://example.com/orders');
  t.equal(target('/orders/ü?q=a b&c=%2F#top'), 'https://example.com/orders/%C3%BC?q=a%20b&c=%2F#top');
  t.equal(target('https://example.com/orders'), 'https://example.com/orders');
  t.equal(target('https://example.com:8443/orders'), 'https://example.com:8443/orders');
  t.equal(target('/?next=//evil.example'), 'https://example.com/?next=//evil.example');
});

t.test('anything else leads to the first page', async (t) => {
  for (const to of [
    ...[undefined, null, '', ['/a', '/b'], 'orders', './orders', '?a', '#a', ' /orders', '\t/orders'],
    ...['//evil.example', '///evil.example', '/\\evil.example', '\\\\evil.example', '/\t/evil.example'],
    ...[
      '/\n/evil.example',
      '/a\r\nSet-Cookie: b',
      '/a\0',
      '/a\u0085',
      '/.//evil.example',
      '/a/..//evil.example',
    ],
    ...['https://evil.example', 'https:evil.example', 'https:/evil.example', 'http://example.com/'],
    ...['https://example.com.evil.example/', 'https://example.com@evil.example/', 'https://u:p@example.com/'],
    ...['https://example.com:444/', 'javascript:alert(1)', 'data:text/html,x', 'blob:https://example.com/1'],
    ...[
      '/auth/refresh/continue',
      '/auth/refresh/continue?to=/',
      `/${'a'.repeat(4096)}`,
      'https://[',
      '/auth/./refresh/continue',
    ],
  ])
    t.equal(target(to), HOME, JSON.stringify(to));
});

t.test('every target has an allowed origin and a plain path', async () => {
  const part = fc.constantFrom(
    '/',
    '\\',
    '//',
    '.',
    '..',
    ':',
    '@',
    'https:',
    'evil.example',
    '%2f',
    '\t',
    '?',
    '#',
    'é',
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(part, fc.string())).map((parts) => parts.join('')),
      (to) => {
        const url = continueTarget(to, OPTIONS);
        return OPTIONS.origins.includes(url.origin) && !url.pathname.startsWith('//') && url.username === '';
      },
    ),
    { numRuns: 2000 },
  );
});

t.test('the login page receives the target, except its own address', async (t) => {
  const login = (to: string) => loginAddress(continueTarget(to, OPTIONS), OPTIONS);
  t.equal(login('/orders?a=b#c'), 'https://example.com/sign-in?from=page&to=%2Forders%3Fa%3Db%23c');
  t.equal(
    login('https://example.com:8443/orders'),
    'https://example.com/sign-in?from=page&to=https%3A%2F%2Fexample.com%3A8443%2Forders',
  );
  t.equal(login('/sign-in?to=/orders'), null);
});
