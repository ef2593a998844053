// Addresses of the same site, and this machine's address of its own services.

import t from 'tap';
import { isSameSite } from '../../src/config/same-site.js';
import { reachableHost } from '../../src/config/sites.js';

const pairs: Readonly<Record<string, readonly [one: string, other: string, same: boolean][]>> = {
  'names below one registrable domain': [
    ['https://app.example.com', 'https://auth.example.com/path', true],
    ['https://example.com', 'https://a.b.example.com', true],
    ['https://app.example.org', 'https://app.example.com', false],
    ['https://evilexample.com', 'https://example.com', false],
  ],
  'a public suffix is no domain': [
    ['https://a.co.uk', 'https://b.co.uk', false],
    ['https://a.b.co.uk', 'https://c.b.co.uk', true],
    ['https://one.github.io', 'https://two.github.io', false],
    ['https://github.io', 'https://one.github.io', false],
    ['https://www.one.github.io', 'https://one.github.io', true],
  ],
  'a site has a scheme and no port': [
    ['https://example.com:8443', 'https://auth.example.com', true],
    ['http://app.example.com', 'https://auth.example.com', false],
    ['http://example.com', 'https://example.com', false],
    ['http://localhost:1', 'http://localhost:2', true],
  ],
  'addresses and single labels are sites of their own': [
    ['http://127.0.0.1:1', 'http://127.0.0.1:2', true],
    ['http://127.0.0.1', 'http://127.0.0.2', false],
    ['http://192.0.2.1', 'http://198.51.2.1', false],
    ['http://[::1]:1', 'http://[::1]:2', true],
    ['http://[2001:db8::1]', 'http://[2001:db8::2]', false],
    ['http://localhost', 'http://127.0.0.1', false],
    ['http://intranet', 'http://auth', false],
    ['http://app.localhost', 'http://auth.localhost', false],
    ['http://app.demo.localhost', 'http://auth.demo.localhost', true],
  ],
};

for (const [name, cases] of Object.entries(pairs)) {
  t.test(name, async (t) => {
    for (const [one, other, same] of cases) {
      t.equal(isSameSite(one, other), same, `${one} and ${other}`);
      t.equal(isSameSite(other, one), same, `${other} and ${one}`);
    }
  });
}

t.test('a service bound to every address is reached through loopback', async (t) => {
  t.same([undefined, '', '0.0.0.0', '::', '192.0.2.1', '::1'].map(reachableHost), [
    '127.0.0.1',
    '127.0.0.1',
    '127.0.0.1',
    '127.0.0.1',
    '192.0.2.1',
    '[::1]',
  ]);
});
