// Host API keys: parsing, and a line for each error.

import t from 'tap';
import {
  applicationKeysFrom,
  applicationNameMistake,
  checkApplicationKeys,
} from '../../src/config/application-keys.js';

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
