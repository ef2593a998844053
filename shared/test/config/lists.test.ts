// Variables that hold a list: host API keys, and address ranges with limits of their own.

import fc from 'fast-check';
import t from 'tap';
import { normaliseAddress } from '../../src/challenges/attempts/pseudonyms.js';
import {
  applicationKeysFrom,
  applicationNameMistake,
  checkApplicationKeys,
} from '../../src/config/application-keys.js';
import { checkAddressRanges, limitFactors } from '../../src/config/limit-ranges.js';

const secret = (letter: string) => `0123456789abcdefghijklmnopqrstu${letter}`;
const [a, b, c] = [secret('a'), secret('b'), secret('c')] as const;

t.test('a single key belongs to the application default, a list has names', async (t) => {
  t.strictSame(applicationKeysFrom({}), []);
  t.strictSame(
    applicationKeysFrom({ HOST_API_KEY: a, HOST_API_KEYS: `shop:${b}, forum.v2 : ${c}:with:colons` }),
    [
      { application: 'default', secret: a },
      { application: 'shop', secret: b },
      { application: 'forum.v2', secret: `${c}:with:colons` },
    ],
  );
  t.strictSame(applicationKeysFrom({ HOST_API_KEYS: `default:${a}` }), [
    { application: 'default', secret: a },
  ]);
});

t.test('valid keys cause no errors', async (t) => {
  for (const variables of [
    {},
    { HOST_API_KEY: a },
    { HOST_API_KEYS: `shop:${b},forum:${c}` },
    { HOST_API_KEY: a, HOST_API_KEYS: `shop:${b}` },
    { HOST_API_KEYS: `default:${a}` },
    { HOST_API_KEY: secret('é') },
  ]) {
    t.strictSame(checkApplicationKeys(variables, [secret('z')]), []);
  }
});

t.test('every error is one line without a secret', async (t) => {
  const table: [{ HOST_API_KEY?: string; HOST_API_KEYS?: string }, string[]][] = [
    [{ HOST_API_KEY: 'short' }, ['HOST_API_KEY must have a secret of at least 32 characters']],
    [
      { HOST_API_KEY: `${a},${b}` },
      ['HOST_API_KEY must not contain a comma: use HOST_API_KEYS for several keys'],
    ],
    [
      { HOST_API_KEYS: `login:${a}` },
      ['HOST_API_KEYS: element 1 must not be named login, the name of the session service'],
    ],
    [
      { HOST_API_KEY: a, HOST_API_KEYS: `shop:${b},default:${c}` },
      ['HOST_API_KEYS: element 2 must not have a name that is already taken'],
    ],
    [
      { HOST_API_KEYS: `shop:${a},shop:${b}` },
      ['HOST_API_KEYS: element 2 must not have a name that is already taken'],
    ],
    [
      { HOST_API_KEY: a, HOST_API_KEYS: `shop:${a}` },
      ['HOST_API_KEYS: element 1 must differ from every other secret'],
    ],
    [
      { HOST_API_KEYS: `shop:${b},forum:${b}` },
      ['HOST_API_KEYS: element 2 must differ from every other secret'],
    ],
    [{ HOST_API_KEY: secret('z') }, ['HOST_API_KEY must differ from every other secret']],
    [
      { HOST_API_KEYS: 'shop:short' },
      ['HOST_API_KEYS: element 1 must have a secret of at least 32 characters'],
    ],
    [
      { HOST_API_KEYS: `${a},shop:,:${b},,shop:${c}` },
      [1, 2, 3, 4].map((n) => `HOST_API_KEYS: element ${n} must have the form name:secret`),
    ],
    // No caller could send the line break.
    [{ HOST_API_KEY: `${a}\n` }, ['HOST_API_KEY must not have white space around it']],
    [
      { HOST_API_KEYS: `a shop:${a},${'x'.repeat(65)}:${b},é:${c}` },
      [1, 2, 3].map(
        (n) => `HOST_API_KEYS: element ${n} must have a name of 1 to 64 letters, digits, _, . or -`,
      ),
    ],
    [
      { HOST_API_KEYS: 'login:short' },
      [
        'HOST_API_KEYS: element 1 must not be named login, the name of the session service',
        'HOST_API_KEYS: element 1 must have a secret of at least 32 characters',
      ],
    ],
  ];
  for (const [variables, lines] of table) t.strictSame(checkApplicationKeys(variables, [secret('z')]), lines);
});

t.test('a secret in place of a name is not shown', async (t) => {
  const lines = checkApplicationKeys({ HOST_API_KEY: a, HOST_API_KEYS: `${b}:shop,${b}:forum` });
  t.equal(lines.length, 3);
  t.notMatch(lines.join(), /bb|shop|forum/);
});

t.test("a guard plugin's application also has a name", async (t) => {
  t.equal(applicationNameMistake('contact-form'), null);
  for (const name of ['', 'login', 'gate', 'a b', 'a\0b', 'x'.repeat(65)])
    t.type(applicationNameMistake(name), 'string');
});

// Address ranges with limits of their own: matching addresses, and errors that stop the start.

t.test('an address has the factor of the narrowest matching range', async (t) => {
  const factorOf = limitFactors([
    ...['198.51.100.0/24=10', '198.51.100.64/26=40', '198.51.100.77/32=1'],
    ...['2001:db8:7::/48=5', '2001:db8:7:100::/56=7', '2001:db8:7:123::/64=9'],
  ]);
  const factors: [string, number][] = [
    ['198.51.100.1', 10],
    ['198.51.100.64', 40],
    ['198.51.100.127', 40],
    ['198.51.100.128', 10],
    ['198.51.100.77', 1],
    ['198.51.101.1', 1],
    ['203.0.113.7', 1],
    ['::ffff:198.51.100.1', 10],
    ['64:ff9b::198.51.100.65', 40],
    ['2001:db8:7::1', 5],
    ['2001:db8:7:1ff:ffff::1', 7],
    ['2001:db8:7:123::99', 9],
    ['2001:db8:8::1', 1],
    ['::', 1],
  ];
  for (const [ip, factor] of factors) t.equal(factorOf(normaliseAddress(ip)), factor, ip);
  t.equal(factorOf(null), 1);
});

t.test('any IPv4 network contains its own addresses and no others', async (t) => {
  const anyAddress = fc.ipV4();
  fc.assert(
    fc.property(anyAddress, anyAddress, fc.integer({ min: 1, max: 32 }), (one, other, prefix) => {
      const number = (text: string) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
      const size = 2 ** (32 - prefix);
      const network = (text: string) => Math.floor(number(text) / size) * size;
      const first = [24, 16, 8, 0].map((shift) => Math.floor(network(one) / 2 ** shift) % 256).join('.');
      const element = `${first}/${prefix}=7`;
      t.strictSame(checkAddressRanges([element]), [], element);
      const factorOf = limitFactors([element]);
      t.equal(factorOf(one), 7);
      t.equal(factorOf(other), network(one) === network(other) ? 7 : 1);
    }),
    { numRuns: 60 },
  );
});

t.test('an error is one line', async (t) => {
  const form = 'RATE_LIMIT_RANGES must contain ranges with factors such as 203.0.113.0/24=20';
  const narrow =
    'RATE_LIMIT_RANGES must have IPv6 ranges of /64 or wider: their addresses are counted together';
  const first = 'RATE_LIMIT_RANGES must begin each range with its first address';
  const everybody =
    'RATE_LIMIT_RANGES must not include all addresses: the other RATE_LIMIT_ variables set their limits';
  const factor = 'RATE_LIMIT_RANGES must have whole numbers from 1 to 10000 as factors';
  const wrong: [string, string][] = [
    ['203.0.113.0/24', form],
    ['203.0.113.7=3', form],
    ['203.0.113.0/33=3', form],
    ['2001:db8::/129=3', form],
    ['203.0.113/24=3', form],
    ['office=3', form],
    ['203.0.113.0/24=1.5', form],
    ['203.0.113.0/24=-1', form],
    ['fe80::%eth0/64=3', form],
    ['203.0.113.0/24=0', factor],
    ['203.0.113.0/24=10001', factor],
    ['0.0.0.0/0=3', everybody],
    ['::/0=3', everybody],
    ['203.0.113.7/24=3', first],
    ['2001:db8::1/48=3', first],
    ['2001:db8:0:1::/48=3', first],
    ['2001:db8::/65=3', narrow],
    ['::ffff:198.51.100.0/120=3', 'RATE_LIMIT_RANGES must contain IPv4 addresses in IPv4 notation'],
  ];
  for (const [element, line] of wrong) {
    t.strictSame(checkAddressRanges([element]), [`${line}, not ${JSON.stringify(element)}`]);
  }
  const twice = ['2001:db8::/32=3', '2001:0DB8:0:0::/32=4'];
  t.strictSame(checkAddressRanges(twice), [
    `RATE_LIMIT_RANGES must name each range once, not twice ${JSON.stringify(twice[1])}`,
  ]);
  t.strictSame(checkAddressRanges(undefined), []);
  t.strictSame(checkAddressRanges(['10.0.0.0/8=2', '0.0.0.0/8=2', '::/8=2', '1.2.3.4/32=10000']), []);
});
