// SITES: accepted values, errors that stop the start without disclosing a value, and the settings that depend on them.

import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '@tollgate/shared/schemas';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { readChallengeConfig } from '../../../src/config.js';
import dropIn from '../drop-in-extension.js';
import { hostnameMatcher, hostnameOf, isHostnamePattern, pageHostname } from '../hostnames.js';
import { readSites } from '../read-sites.js';
import { makeSecret, secretFinder } from '../site-secrets.js';

const HASH = hash('sha256', 'a');
const OTHER = hash('sha256', 'b');
const shop = { secret_sha256: HASH, hostnames: ['shop.example'] };
const site = { secret_sha256: 'a'.repeat(64), hostnames: ['shop.example'] };

const mistakesOf = (value: unknown): readonly string[] => {
  try {
    readSites(typeof value === 'string' ? value : JSON.stringify(value), '/');
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.lines;
    throw error;
  }
};

t.test('omitted site options have defaults', async (t) => {
  t.strictSame(
    [...readSites(JSON.stringify({ shop }), '/')],
    [
      [
        'shop',
        {
          key: 'shop',
          secretHashes: [HASH],
          hostnames: ['shop.example'],
          difficulty: 16,
          receipt_seconds: 300,
          score: 0.9,
          check_remoteip: false,
          image: 'never',
        },
      ],
    ],
  );
  t.equal(readSites(undefined, '/').size, 0);
});

t.test('sites can be read from a file and have up to three secrets', async (t) => {
  const folder = tempDir(t);
  const secret_sha256 = [HASH.toUpperCase(), OTHER, hash('sha256', 'c')];
  writeFileSync(join(folder, 'sites.json'), JSON.stringify({ __proto__x: { ...shop, secret_sha256 } }));
  t.strictSame(readSites('sites.json', folder).get('__proto__x')?.secretHashes, [
    HASH,
    OTHER,
    hash('sha256', 'c'),
  ]);
  writeFileSync(join(folder, 'marked.json'), `\ufeff${JSON.stringify({ shop })}`);
  t.ok(readSites('marked.json', folder).has('shop'), 'a byte order mark, as some editors write');
});

t.test('every error has its own line, without values or unknown names', async (t) => {
  const cases: readonly (readonly [unknown, readonly (string | RegExp)[]])[] = [
    ['{"a": "the-secret-in-clear"', ['SITES is not valid JSON']],
    ['/no/such/file', [/^SITES names a file that cannot be read \(ENOENT\)/]],
    ['{}', ['SITES must have at least one site']],
    [`{"a":${JSON.stringify(shop)},"a":${JSON.stringify(shop)}}`, ['SITES has a duplicate site key']],
    [{ 'not a key': shop }, ['SITES: site 1 must have a key of 1 to 64 letters, digits, _ or -']],
    [{ shop: 'the-secret-in-clear' }, ['SITES: site 1 must be an object of options']],
    [{ shop: { ...shop, 'the-secret-in-clear': 1 } }, ['SITES: site 1 has an option that does not exist']],
    [
      { shop, forum: {} },
      [
        /^SITES: site 2\.secret_sha256 is missing: it must be the SHA-256/,
        /^SITES: site 2\.hostnames is missing/,
      ],
    ],
    [{ shop, forum: shop }, ['SITES: site 2.secret_sha256 must differ from those of every other secret']],
    [
      { shop: { ...shop, secret_sha256: [HASH, HASH] } },
      ['SITES: site 1.secret_sha256 must differ from those of every other secret'],
    ],
    [{ shop: { ...shop, secret_sha256: 'the-secret-in-clear' } }, [/^SITES: site 1\.secret_sha256 must be/]],
    [{ shop: { ...shop, secret_sha256: [HASH, OTHER, HASH.slice(1), OTHER] } }, [/\.secret_sha256 must be/]],
    [
      { shop: { ...shop, hostnames: [] } },
      [/^SITES: site 1\.hostnames must be a list of 1 to 100 host names/],
    ],
    [{ shop: { ...shop, hostnames: ['https://shop.example'] } }, [/\.hostnames must be/]],
    [{ shop: { ...shop, hostnames: ['shop.example:8443'] } }, [/\.hostnames must be/]],
    // Each would end the list of frame ancestors in the header.
    ...['shop.example;sandbox', 'shop.example,b.example', "shop.example'"].map(
      (name) => [{ shop: { ...shop, hostnames: [name] } }, [/\.hostnames must be/]] as const,
    ),
    [
      { shop: { ...shop, difficulty: 15 } },
      ['SITES: site 1.difficulty must be a whole number from 16 to 24'],
    ],
    [{ shop: { ...shop, receipt_seconds: 901 } }, [/receipt_seconds must be a whole number from 2 to 900/]],
    [{ shop: { ...shop, score: 1.5 } }, ['SITES: site 1.score must be a number from 0 to 1']],
    [{ shop: { ...shop, check_remoteip: 'yes' } }, ['SITES: site 1.check_remoteip must be true or false']],
    [{ shop: { ...shop, image: 'sometimes' } }, ['SITES: site 1.image must be one of never, always']],
  ];
  for (const [value, expected] of cases) {
    const found = mistakesOf(value);
    t.equal(found.length, expected.length, JSON.stringify(value));
    for (const [at, line] of expected.entries()) t.match(found[at], line);
    t.notMatch(found.join(), /the-secret-in-clear|[0-9a-f]{60}|not a key/i);
  }
});

t.test('international host names are read as headers contain them', async (t) => {
  const hostnames = ['例え.shop.test', '*.bücher.test', 'Shop.Example', '[::1]', '10.0.0.1', '*'];
  t.strictSame(readSites(JSON.stringify({ shop: { ...shop, hostnames } }), '/').get('shop')?.hostnames, [
    'xn--r8jz45g.shop.test',
    '*.xn--bcher-kva.test',
    'shop.example',
    '[::1]',
    '10.0.0.1',
    '*',
  ]);
});

t.test('host names match exactly, below a wildcard, or anywhere', async (t) => {
  const matches = hostnameMatcher(['Shop.Example', '*.shop.example', 'bücher.example', '[::1]', '10.0.0.1']);
  for (const name of [
    'shop.example',
    'a.shop.example',
    'a.b.shop.example',
    'xn--bcher-kva.example',
    '[::1]',
    '10.0.0.1',
  ])
    t.ok(matches(name), name);
  for (const name of ['shop.example.evil', 'evilshop.example', '.shop.example', 'example', '10.0.0.2'])
    t.notOk(matches(name), name);
  t.notOk(hostnameMatcher(['*.shop.example'])('shop.example'), 'not the name itself');
  t.ok(hostnameMatcher(['*'])('anything'));
  for (const pattern of ['', '*.', 'a b', '*.*', 'shop.example/', 'shop.example:', '*shop', 'a@b'])
    t.notOk(isHostnamePattern(pattern), pattern);
});

t.test('only an origin in the form browsers send has a host name', async (t) => {
  t.equal(hostnameOf('https://shop.example:8443'), 'shop.example');
  t.equal(hostnameOf('capacitor://localhost'), 'localhost');
  for (const origin of [
    'null',
    undefined,
    ['https://shop.example'],
    '',
    'https://shop.example/',
    'https://SHOP.example',
    'https://a@shop.example',
    'https://shop.example https://evil.example',
    'file://',
    `https://${'a'.repeat(300)}`,
  ])
    t.equal(hostnameOf(origin), null, String(origin));
  const own = 'https://gate.example';
  t.equal(pageHostname('https://shop.example', 'https://evil.example', own), 'shop.example');
  t.equal(pageHostname(own, 'https://shop.example', own), 'shop.example');
  t.equal(pageHostname(own, undefined, own), null);
  t.equal(pageHostname(undefined, 'https://shop.example', own), null);
});

t.test('each secret finds its own site; other texts find none', async (t) => {
  const made = [makeSecret(), makeSecret(), makeSecret()] as const;
  const hashes = made.map(({ sha256 }) => sha256);
  const sites = readSites(
    JSON.stringify({
      shop: { ...shop, secret_sha256: hashes.slice(0, 2) },
      forum: { ...shop, secret_sha256: hashes[2] },
    }),
    '/',
  );
  const find = secretFinder(sites.values());
  t.strictSame(
    made.map(({ secret }) => find(secret)?.site.key),
    ['shop', 'shop', 'forum'],
  );
  t.not(find(made[0].secret)?.id, find(made[1].secret)?.id);
  for (const wrong of ['', 'x', made[0].sha256, `${made[0].secret} `]) t.equal(find(wrong), undefined);
  t.match(made[0].secret, /^[A-Za-z0-9_-]{43}$/);
});

// Service settings that depend on the configured sites.

/** Opens the drop-in as the service does. */
function open(sites: Readonly<Record<string, object>>) {
  const env = { CHALLENGE_SECRET: 'c', CAPTCHA_POW_MAX_DIFFICULTY: '20', SITES: JSON.stringify(sites) };
  return dropIn.open(readChallengeConfig(env, [dropIn]), '/');
}

t.test('the hardest site and the longest receipt determine how long keys are kept', async (t) => {
  t.same(open({ shop: site })?.lifetimes, { ceiling: 20, seconds: 300 });
  const forum = { ...site, secret_sha256: 'b'.repeat(64), difficulty: 18, receipt_seconds: 900 };
  t.same(
    open({ shop: site, forum })?.lifetimes,
    { ceiling: 22, seconds: 900 },
    'floor and ceiling rise alike',
  );
  const dearest = { ...forum, difficulty: 24 };
  t.same(
    open({ shop: site, dearest })?.lifetimes,
    { ceiling: 24, seconds: 900 },
    'no price is above 24 bits',
  );
});

t.test("only pages on a site's host names may call its paths", async (t) => {
  const ruleOf = open({ shop: site })?.originRuleOf;
  t.equal(ruleOf?.('/api/captcha/sites/shop/pow')?.('https://shop.example'), true);
  t.equal(ruleOf?.('/api/captcha/sites/shop/pow')?.('https://forum.example'), false);
  t.equal(ruleOf?.('/api/captcha/sites/forum/pow'), undefined);
  t.equal(ruleOf?.('/api/captcha/pow'), undefined);
});
