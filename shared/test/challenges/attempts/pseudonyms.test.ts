// Pseudonyms and account keys: normalised addresses and names.

import { anyCharacter } from '@tollgate/test-support/any-character.js';
import fc from 'fast-check';
import t from 'tap';
import {
  accountKey,
  accountPseudonym,
  accountSpellings,
  addressPseudonym,
  addressPseudonyms,
  foldAccount,
  normaliseAddress,
  slotTag,
  widerNetworks,
} from '../../../src/challenges/attempts/pseudonyms.js';
import { challengeKeys, makeToken } from '../../../src/challenges/store/records.js';
import { openKeyRing } from '../../../src/crypto/key-ring.js';
import { isToken } from '../../../src/schemas/names.js';

const key = openKeyRing('first-secret-of-32-characters-xx').current;

t.test('an address is counted in one form: IPv4 unchanged, IPv6 by its /64', async (t) => {
  const forms: Record<string, string | null> = {
    '203.0.113.7': '203.0.113.7',
    '::ffff:203.0.113.7': '203.0.113.7',
    '::ffff:cb00:7107': '203.0.113.7',
    '0:0:0:0:0:ffff:cb00:7107': '203.0.113.7',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:0DB8:0001:0002::': '2001:db8:1:2::/64',
    '2001:db8:1:3::1': '2001:db8:1:3::/64',
    '::1': '0:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '64:ff9b::203.0.113.7': '203.0.113.7',
    '0064:ff9b:0000:0000:0000:0000:cb00:7107': '203.0.113.7',
    '::ffff:0:203.0.113.7': '203.0.113.7',
    '::ffff:0:cb00:7107': '203.0.113.7',
    '64:ff9b::1:203.0.113.7': '64:ff9b:0:0::/64',
    '64:ff9b:1::203.0.113.7': '64:ff9b:1:0::/64',
    '64:ff9b:0:1::203.0.113.7': '64:ff9b:0:1::/64',
    '2002:cb00:7107:1::1': '2002:cb00:7107:1::/64',
    '2001:0:cb00:7107::1': '2001:0:cb00:7107::/64',
    '': null,
    unknown: null,
    // All clients counted as one behind a proxy that adds the port.
    '203.0.113.7:443': '203.0.113.7',
    '[2001:db8:1:2::5]:65535': '2001:db8:1:2::/64',
    '[::ffff:203.0.113.7]:1': '203.0.113.7',
    '203.0.113.7:': null,
    '203.0.113.7:443:1': null,
    '[203.0.113]:443': null,
    '203.0.113.7, 203.0.113.8': null,
    '[::1]': null,
    '203.0.113.256': null,
    '203.0.113': null,
    '1': null,
    '0x7f.1': null,
    '010.0.0.1': null,
    '2001:db8::1::2': null,
  };
  for (const [address, form] of Object.entries(forms)) t.equal(normaliseAddress(address), form, address);
  t.equal(normaliseAddress(undefined), null);
});

t.test('two IPv6 addresses count as one exactly if their first 64 bits are equal', async (t) => {
  const half = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 });
  const text = (parts: number[]) => parts.map((part) => part.toString(16)).join(':');
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(half, half, half, half, (network, other, host, otherHost) => {
        // Some addresses with these prefixes are IPv4.
        const translated = ['0:0:0:0', '64:ff9b:0:0'];
        fc.pre(![network, other].some((parts) => translated.includes(text(parts))));
        const a = normaliseAddress(`${text(network)}:${text(host)}`);
        const same = normaliseAddress(`${text(network)}:${text(otherHost)}`);
        const b = normaliseAddress(`${text(other)}:${text(host)}`);
        return a !== null && a === same && (a === b) === (text(network) === text(other));
      }),
    ),
  );
});

t.test('an IPv6 network has a /56 and a /48, an IPv4 address neither', async (t) => {
  for (const [address, wider] of [
    ['2001:db8:5:12ab::1', ['2001:db8:5:1200::/56', '2001:db8:5::/48']],
    ['2001:db8:5:12cd::1', ['2001:db8:5:1200::/56', '2001:db8:5::/48']],
    ['2001:db8:5:7::1', ['2001:db8:5:0::/56', '2001:db8:5::/48']],
    ['::64', ['0:0:0:0::/56', '0:0:0::/48']],
    ['192.0.2.1', []],
  ] as const) {
    t.strictSame(widerNetworks(normaliseAddress(address) ?? ''), wider, address);
  }
  for (const other of ['', 'unknown', 'a:b:c:d', 'a:b:c:d::/48', 'a::/64']) {
    t.strictSame(widerNetworks(other), [], other);
  }
});

t.test('the networks of one /48 share their slot, and differ beyond it', async (t) => {
  const [first, second, other] = ['2001:db8:5:12ab::', '2001:db8:5:34::', '2001:db8:6:34::'].map((address) =>
    addressPseudonyms(key, normaliseAddress(address) ?? ''),
  );
  const slots = [first, second].flatMap((each) => [each!.address, ...each!.networks]);
  t.equal(new Set(slots.map((text) => text.slice(0, 8))).size, 1);
  t.equal(new Set(slots).size, 5, 'only the /48 is common');
  for (const text of slots) t.match(text, /^[0-9a-f]{32}$/);
  t.equal(first?.networks[1], second?.networks[1]);
  t.equal(first?.tag, second?.tag);
  t.not(other?.address.slice(0, 8), first?.address.slice(0, 8));
  t.strictSame(addressPseudonyms(key, '192.0.2.1').networks, []);
});

t.test('pseudonyms equal the keyed hashes of another implementation', async (t) => {
  // Computed with Python's cryptography (HKDF) and hmac.
  t.equal(addressPseudonym(key, '203.0.113.7'), 'e3280699bdafb6393319ac3bfafee66f');
  t.equal(accountPseudonym(key, 'login', 'demo@example.com'), '28b836d0f9a4d9595b6e34b4c9b6427a');
});

t.test(
  'an address keeps its pseudonym under each key, regardless of the number computed in between',
  async (t) => {
    const other = openKeyRing('second-secret-of-32-characters-x').current;
    const before = [key, other].map((key) => addressPseudonym(key, '203.0.113.7'));
    t.equal(new Set(before).size, 2);
    const addresses = Array.from({ length: 12_000 }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
    t.equal(new Set(addresses.map((address) => addressPseudonym(key, address))).size, addresses.length);
    t.strictSame(
      [key, other].map((key) => addressPseudonym(key, '203.0.113.7')),
      before,
    );
  },
);

t.test('a token is 40 letters and digits, beginning with the tag of its slot', async (t) => {
  const tag = slotTag('e3280699bdafb6393319ac3bfafee66f');
  t.match(tag, /^[A-Za-z0-9]{2}$/);
  const tokens = Array.from({ length: 1000 }, () => makeToken(tag));
  t.equal(new Set(tokens).size, 1000);
  for (const token of tokens) if (!isToken(token) || !token.startsWith(tag)) t.fail(token);
  t.equal(
    makeToken('Ab', (size) => new Uint8Array(size)),
    `Ab${'0'.repeat(38)}`,
  );
});

t.test('only a text of 40 letters and digits is a well-formed token', async (t) => {
  t.ok(isToken('aZ09'.repeat(10)));
  const token = 'A'.repeat(40);
  for (const value of [
    '',
    'A'.repeat(39),
    'A'.repeat(41),
    `${token}\n`,
    ` ${token}`,
    [token],
    { length: 40 },
    null,
    40,
  ]) {
    t.notOk(isToken(value), JSON.stringify(value));
  }
});

t.test('tags are the 3,844 pairs of letters and digits, uniformly distributed', async (t) => {
  const tags = Array.from({ length: 3844 }, (_, i) => slotTag(i.toString(16).padStart(8, '0')));
  t.equal(new Set(tags).size, 3844);
  t.equal(slotTag('ffffffff'), slotTag((0xffffffff % 3844).toString(16).padStart(8, '0')));
});

t.test('all keys of one script carry the same hash tag', async (t) => {
  const keys = challengeKeys('captcha', slotTag);
  const address = addressPseudonym(key, '203.0.113.7');
  const token = makeToken(slotTag(address));
  const tagOf = (name: string) => /\{([^}]+)\}/.exec(name)?.[1];
  const ofAddress = [
    keys.pow(token),
    keys.image(token),
    keys.volume(address),
    keys.cleared(address),
    keys.limit('pow', address),
    keys.limit('image', address),
  ];
  t.strictSame([...new Set(ofAddress.map(tagOf))], [slotTag(address)]);
  t.equal(tagOf(keys.failures('a')), tagOf(keys.wait('a', address)));
  const all = [...ofAddress, keys.failures('a'), keys.wait('a', address)];
  t.equal(new Set(all).size, all.length);
  for (const name of all) t.ok(name.startsWith('captcha:'), name);
});

// Normalised account names.

t.test('case, width and surrounding space make no difference', async (t) => {
  for (const email of [
    'ada@example.com',
    ' ADA@Example.COM\t',
    'ａｄａ@example.com',
    '\u00a0ada@example.com',
  ]) {
    t.equal(accountKey(email), 'ada@example.com');
  }
  t.equal(accountKey('e\u0301@x.org'), accountKey('\u00c9@x.org'));
});

t.test('different addresses remain different', async (t) => {
  t.equal(accountKey('a.da+tag@example.com'), 'a.da+tag@example.com');
  t.not(accountKey('а@example.com'), accountKey('a@example.com'), 'a Cyrillic letter is another letter');
});

t.test('an international domain has one key in both forms, and its local part is unchanged', async (t) => {
  const key = 'bücher@xn--bcher-kva.example';
  for (const email of [
    'bücher@bücher.example',
    'BÜCHER@XN--BCHER-KVA.example',
    'bücher@bu\u0308cher.example',
  ])
    t.equal(accountKey(email), key);
  t.equal(accountKey('a@b@bücher.de'), 'a@b@xn--bcher-kva.de', 'behind the last @');
  t.equal(accountKey('bücher.de'), 'bücher.de', 'a user name has no domain');
  t.equal(accountKey('a@faß.de'), 'a@xn--fa-hia.de');
  t.not(accountKey('a@faß.de'), accountKey('a@fass.de'));
  t.equal(accountKey('a@mail.例え.jp'), accountKey('a@mail.xn--r8jz45g.jp'));
  t.equal(accountKey('a@例え.テスト'), 'a@xn--r8jz45g.xn--zckzah', 'without an ASCII label');
  t.equal(accountKey('a@例え\uff61jp'), accountKey('a@例え.jp'), 'with the dot of its language');
});

t.test('a domain without an ASCII form is unchanged: a number does not become an IP address', async (t) => {
  const same = [
    '0x7f.1',
    '0x7f\u30021',
    '2130706433',
    '[127.0.0.1]',
    'example.com',
    'EXAMPLE\u3002com',
    '',
    'a..b',
  ];
  const broken = [
    'ü.1',
    'ü.0x7f',
    'xn--a',
    'xn--',
    'xn--a.de',
    'ü/x.de',
    'ü:80',
    'ü%41.de',
    'ü_x.de',
    'ü?',
    'ü x.de',
  ];
  for (const domain of [...same, ...broken])
    t.equal(accountKey(`a@${domain}`), foldAccount(`a@${domain}`), domain);
});

t.test('invisible characters make no difference, unless there are no others', async (t) => {
  const invisible = [
    '\u200b',
    '\u200d',
    '\u2060',
    '\ufeff',
    '\u00ad',
    '\u200e',
    '\u200f',
    '\u202e',
    '\u2066',
    '\ufe0f',
  ];
  for (const character of invisible) {
    for (const email of [
      `${character}ada@example.com`,
      `a${character}da@exam${character}ple.com${character} `,
    ])
      t.equal(accountKey(email), 'ada@example.com');
  }
  t.equal(accountKey('a\u034f\u0301@x.org'), accountKey('á@x.org'), 'what it stood between combines');
  t.equal(accountKey('\u200b'), '\u200b');
  const [joined, plain] = ['a@نامه\u200cای.com', 'a@xn--mgba3gch31f060k.com'];
  t.equal(accountKey(joined), accountKey(plain), 'a joiner in either form of a domain');
});

t.test('a directory receives the account as typed, with its domain in both forms', async (t) => {
  t.strictSame(accountSpellings(' Ada@Example.com'), ['ada@example.com']);
  t.strictSame(accountSpellings('a@0x7f.1'), ['a@0x7f.1']);
  t.strictSame(accountSpellings('A@Bücher.de'), ['a@bücher.de', 'a@xn--bcher-kva.de']);
  t.strictSame(accountSpellings('a@xn--bcher-kva.de'), ['a@xn--bcher-kva.de', 'a@bücher.de']);
  t.strictSame(accountSpellings('a\u200bda@x.org'), ['a\u200bda@x.org', 'ada@x.org']);
  t.ok(accountSpellings('a@نامه\u200cای.com').includes('a@xn--mgba3gch31f060k.com'), 'with its joiner too');
});

t.test('every spelling of an account has the same key, itself one of the spellings', async (t) => {
  const labels = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 4 }),
    fc.constantFrom(
      'xn--bcher-kva',
      'xn--',
      'xn--a',
      'bücher',
      'faß',
      'com',
      '0x7f',
      '1',
      'نامه\u200cای',
      'ς',
    ),
  );
  const domains = fc.array(labels, { minLength: 1, maxLength: 3 }).map((all) => all.join('.'));
  const emails = fc
    .tuple(fc.string({ unit: anyCharacter, maxLength: 3 }), domains)
    .map((both) => both.join('@'));
  fc.assert(
    fc.property(emails, (email) => {
      const key = accountKey(email);
      const spellings = accountSpellings(email);
      t.equal(accountKey(key), key);
      t.equal(accountKey(foldAccount(email)), key, 'what was counted before has the same key');
      t.ok(spellings.includes(key));
      t.equal(spellings[0], foldAccount(email));
      t.ok(spellings.length <= 9);
    }),
    { numRuns: 2000 },
  );
});

t.test('a key is its own key', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (email) => {
      const key = accountKey(email);
      t.equal(accountKey(key), key);
    }),
    { numRuns: 2000 },
  );
});
