// Gate rules: which requests need no pass, however their path is written.

import fc from 'fast-check';
import t from 'tap';
import { resolveGateOptions } from '../gate-options.js';
import { createGateRules } from '../gate-rules.js';
import { isLike } from '../path-pattern.js';
import { requestedPath, returnAddress } from '../requested-address.js';

const SITE = 'https://www.example.com';
const OTHER = 'http://localhost:8081';

function rulesOf(options: object) {
  const { options: complete, mistakes } = resolveGateOptions({ sites: [SITE, OTHER], ...options });
  if (complete === undefined) throw new Error(mistakes?.join());
  const decide = createGateRules(complete);
  return (target: string, { method = 'GET', address = '203.0.113.7', site = SITE } = {}) => {
    const verdict = decide({ site, method, address, path: requestedPath(target) });
    return verdict.action === 'pass' ? verdict.reason : verdict.action;
  };
}

t.test(
  'by default everything needs a pass except well-known files, and those only for reading',
  async (t) => {
    const decide = rulesOf({ feeds: ['/feed.xml', '/blog/*.rss'] });
    for (const path of [
      '/',
      '/a',
      '/a/robots.txt',
      '/robots.txt/',
      '/.well-known',
      '/Robots.txt',
      '/feed.xml2',
    ]) {
      t.equal(decide(path), 'check', path);
    }
    for (const path of [
      '/robots.txt',
      '/favicon.ico?v=2',
      '/.well-known/a/b',
      '/apple-touch-icon-120x120.png',
    ]) {
      t.equal(decide(path), 'well_known', path);
      t.equal(decide(path, { method: 'HEAD' }), 'well_known');
      t.equal(decide(path, { method: 'POST' }), 'check');
    }
    t.equal(decide('/feed.xml'), 'feed');
    t.equal(decide('/blog/2026/all.rss?page=2'), 'feed');
    t.equal(rulesOf({ well_known: false })('/robots.txt'), 'check');
    t.equal(rulesOf({ rest: 'pass' })('/'), 'rest');
  },
);

t.test('the first matching rule decides, by path, method, address and site', async (t) => {
  const decide = rulesOf({
    rules: [
      { action: 'refuse', addresses: ['198.51.100.0/24', '2001:db8:bad::/48'] },
      { action: 'check', paths: ['/api/search*'] },
      { action: 'pass', paths: ['/api/*'], methods: ['GET', 'OPTIONS'] },
      { action: 'pass', addresses: ['192.0.2.7', '2001:db8:600d::1'] },
      { action: 'pass', sites: [OTHER], paths: ['/open/*'] },
      { action: 'check', paths: ['/robots.txt'] },
    ],
  });
  t.equal(decide('/api/a'), 'rule');
  t.equal(decide('/api/a', { method: 'OPTIONS' }), 'rule');
  t.equal(decide('/api/a', { method: 'POST' }), 'check');
  t.equal(decide('/api/search?q=a'), 'check');
  t.equal(decide('/api/a', { address: '198.51.100.7' }), 'refuse');
  t.equal(decide('/api/a', { address: '::ffff:198.51.100.7' }), 'refuse', 'written as an IPv6 address');
  t.equal(decide('/', { address: '2001:db8:bad:1::1' }), 'refuse');
  t.equal(decide('/', { address: '192.0.2.7' }), 'rule');
  t.equal(decide('/', { address: '192.0.2.8' }), 'check');
  t.equal(decide('/', { address: '2001:db8:600d::1' }), 'rule');
  t.equal(decide('/', { address: 'unknown' }), 'check');
  t.equal(decide('/open/a'), 'check');
  t.equal(decide('/open/a', { site: OTHER }), 'rule');
  t.equal(decide('/robots.txt'), 'check', 'a rule comes before well-known files');
});

t.test('a path that programs parse differently never matches a rule that lets it pass', async (t) => {
  const rules = [
    { action: 'check', paths: ['/admin*'] },
    { action: 'pass', paths: ['/public/*'] },
  ];
  const checked = rulesOf({ rest: 'pass', feeds: ['/feed*'], rules });
  const decide = rulesOf({
    rest: 'pass',
    feeds: ['/feed*'],
    rules: [{ action: 'refuse', paths: ['/secret*'] }, ...rules],
  });
  t.equal(decide('/public/a'), 'rule');
  t.equal(decide('/public/%C3%A9%20a'), 'rule', 'percent-encoding alone is no danger');
  t.equal(decide('/%61dmin/a'), 'check', 'and hides nothing');
  t.equal(decide('/%73ecret/a'), 'refuse');
  const looks = ['/public/', '/.well-known/', '/feed/', '/robots.txt/', '/'];
  const tricks = [
    '../admin',
    '..;/admin',
    '%2e%2e/admin',
    '.%2E/admin',
    '..%2fadmin',
    '..%5cadmin',
    '..\\admin',
  ];
  const lookalikes = [
    ...['..%20/admin', '%20../admin', '..%c2%a0/admin', '.%e2%80%8b./admin', '..%09/admin', '.../admin%20'],
    ...['%ef%bc%8e%ef%bc%8e/admin', '%e2%80%a5/admin', '%e2%80%a4%e2%80%a4/admin', '..%ef%bc%8fadmin'],
    ...['..%ef%bc%bcadmin', '..%e2%88%95admin', '..%e2%81%84admin', '%20/admin', 'a%20', 'a%e2%80%8e'],
    ...['..%ef%bc%9b/admin', '%ef%bc%852e%ef%bc%852e/admin', '%e2%84%80'],
  ];
  const more = ['%252e%252e/admin', 'a//admin', './admin', 'a%00', 'a%0d%0ab', 'a;b', 'a#b', 'a%3b'];
  for (const look of looks) {
    for (const trick of [...tricks, ...lookalikes, ...more])
      t.equal(decide(look + trick), 'check', look + trick);
  }
  for (const dots of ['..', '..%20', '..%c2%a0', '%ef%bc%8e.', '.%e2%80%8b.']) {
    t.equal(decide(`/public/${dots}/secret`), 'refuse', `a rule that refuses sees through ${dots}`);
    t.equal(decide(`/secret/${dots}/public/a`), 'refuse', `and so does the path as it stands: ${dots}`);
  }
  t.equal(decide('/public/..%ef%bc%8fsecret'), 'refuse');
  // A run of them took time in the square of its length.
  const unseen = '%c2%ad'.repeat(2_600);
  t.equal(decide(`/public/${unseen}a`), 'rule');
  t.equal(decide(`/public/${unseen}`), 'check', 'they count at the end of a segment');
  t.equal(decide(`/secret${unseen}`), 'refuse');
  for (const plain of [
    'a%20b',
    'wait%E2%80%A6what',
    'U.S.',
    '%E2%9D%A4%EF%B8%8F',
    '%D9%85%DB%8C%E2%80%8C%D8%B4%D9%88%D8%AF',
  ]) {
    t.equal(decide(`/public/${plain}`), 'rule', plain);
  }
  const unreadable = ['%', '%zz', '%ff'].flatMap((trick) => looks.map((look) => look + trick));
  for (const target of [
    '',
    'public/a',
    'http://www.example.com/public/a',
    '*',
    `/public/${'a'.repeat(20_000)}`,
    ...unreadable,
  ]) {
    t.equal(decide(target), 'refuse', target.slice(0, 40));
    t.equal(checked(target), 'check', target.slice(0, 40));
  }
  t.equal(requestedPath(undefined).isAmbiguous, true);
});

t.test('alternative spellings of a path do not evade a rule that rejects it', async (t) => {
  const rules = [
    { action: 'refuse', paths: ['/admin/*', '/wp-login.php*'], sites: [SITE], methods: ['GET'] },
    { action: 'refuse', paths: ['/private'], addresses: ['198.51.100.0/24'] },
  ];
  const decide = rulesOf({ rest: 'pass', rules });
  const tricks = [
    '/admin//',
    '/admin/.',
    '/admin/;x',
    '/admin/x/..',
    '/a/../admin/',
    '/admin\\',
    '/admin%2f',
  ];
  for (const target of [...tricks, '/wp-login.php/%ff', '/wp-login.php;x', '/wp-login.php/.']) {
    t.equal(decide(target), 'refuse', target);
  }
  t.equal(decide('/%ff', { site: OTHER }), 'check', 'a rule of another site is not meant');
  t.equal(decide('/%ff', { method: 'POST' }), 'check', 'nor one of another method');
  t.equal(decide('/%ff', { method: 'POST', address: '198.51.100.7' }), 'refuse');
  t.equal(decide('/.'), 'check');
  t.equal(requestedPath('/.').path, '/');
});

t.test('`rest: pass` admits ambiguous paths of sites without a rule that guards paths', async (t) => {
  const targets = ['/a%2Fb', '/a//b', '/a;b', '/a/../b', '/%ff'];
  const open = rulesOf({
    rest: 'pass',
    rules: [
      { action: 'refuse', addresses: ['198.51.100.0/24'] },
      { action: 'check', methods: ['POST'] },
      { action: 'pass', paths: ['/open/*'] },
      { action: 'check', paths: ['/search*'], sites: [OTHER] },
    ],
  });
  for (const target of targets) {
    t.equal(open(target), 'rest', target);
    t.equal(open(target, { method: 'POST' }), 'check', target);
    t.equal(open(target, { address: '198.51.100.7' }), 'refuse', target);
    t.equal(open(target, { site: OTHER }), 'check', target);
  }
  for (const action of ['check', 'refuse']) {
    const guarded = rulesOf({ rest: 'pass', rules: [{ action, paths: ['/a'] }] });
    t.not(guarded('/b;c'), 'rest', `with a rule to ${action} paths`);
  }
  t.equal(rulesOf({})('/a//b'), 'check', 'only with `rest: pass`');
});

t.test('a rule written with percent-encoding refuses, checks and opens that path', async (t) => {
  const decide = rulesOf({
    rest: 'pass',
    feeds: ['/%C3%BCber.xml'],
    rules: [
      { action: 'refuse', paths: ['/caf%C3%A9/*', '/%61dmin/*', '/a%2Fb', '/old//*'] },
      { action: 'pass', paths: ['/open%20files/*'] },
      { action: 'check', paths: ['/s%C3%B6k*'] },
    ],
  });
  for (const target of ['/caf%C3%A9/a', '/caf%c3%a9/', '/caf\xc3\xa9/a', '/caf\xe9/a', '/admin/a']) {
    t.equal(decide(target), 'refuse', target);
  }
  for (const target of ['/a%2fb', '/a/b', '/old//a']) t.equal(decide(target), 'refuse', target);
  t.equal(decide('/cafe/a'), 'rest');
  t.equal(decide('/open%20files/a'), 'rule');
  t.equal(decide('/s%C3%B6k?q=a'), 'check');
  t.equal(decide('/%c3%bcber.xml'), 'feed');
});

t.test('a path in the options that no request could match stops the start', async (t) => {
  const mistakesOf = (options: object) => resolveGateOptions({ sites: [SITE], ...options }).mistakes ?? [];
  for (const path of ['/a?b=c', '/a#b', '/a%', '/%zz', '/caf%E9', '/a%2Ab']) {
    for (const action of ['pass', 'check', 'refuse']) {
      t.strictSame(
        mistakesOf({ rules: [{ action, paths: ['/', path] }] }),
        ['rules[0].paths[1] must be a path without ?, # and %2A, percent-encoded as UTF-8'],
        `${action} ${path}`,
      );
    }
    t.match(mistakesOf({ feeds: [path] }), [/^feeds\[0\] must be a path without/], path);
  }
  for (const path of ['/a//b*', '/a;b', '/a/../b', '/a%2Fb', '/a%20/b']) {
    t.match(mistakesOf({ rules: [{ action: 'pass', paths: [path] }] }), [
      /^rules\[0\]\.paths\[0\] would never/,
    ]);
    t.match(mistakesOf({ feeds: [path] }), [/^feeds\[0\] would never match/], path);
    for (const action of ['check', 'refuse'])
      t.strictSame(mistakesOf({ rules: [{ action, paths: [path] }] }), []);
  }
});

t.test('a pattern matches like its regular expression, in bounded time for any path', async (t) => {
  const asExpression = (pattern: string) =>
    new RegExp(`^${pattern.replace(/[.?]/g, '\\$&').replace(/\*+/g, '.*')}$`, 's');
  const text = (characters: string) => fc.string({ unit: fc.constantFrom(...characters), maxLength: 12 });
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(text('ab/.'), text('ab/.*'), (path, pattern) => {
        return isLike(path, pattern) === asExpression(pattern).test(path);
      }),
      { numRuns: 2000 },
    ),
  );
  t.equal(isLike('/'.repeat(16_000), `/${'*a'.repeat(50)}`), false);
});

t.test('a visitor is redirected only within the same site', async (t) => {
  const kept = [
    '/',
    '/a?b=c&d=%2F',
    '/a%20b',
    '/?next=https://evil.example/',
    '/a//b',
    '/@evil.example',
    '/a/%2e/b',
  ];
  for (const wanted of kept.slice(0, -1)) t.equal(returnAddress(wanted, SITE), `${SITE}${wanted}`, wanted);
  const home = `${SITE}/`;
  const foreign = [
    ...['//evil.example', '/\\evil.example', '\\/evil.example', '\\\\evil.example', '/\t/evil.example'],
    ...['/\n/evil.example', '\t//evil.example', ' //evil.example', '/..//evil.example', '/.//evil.example'],
    ...['/a/..//evil.example', '/%2e%2e//evil.example', '/%2e//evil.example', '/a/\\evil.example'],
    ...[
      'https://evil.example/',
      'http:evil.example',
      'javascript:alert(1)',
      'data:text/html,a',
      '@evil.example',
    ],
    ...['', '.evil.example', ':80', '?a', '#a', '/a\r\nSet-Cookie: b', '/é', '/\0', `/${'a'.repeat(3000)}`],
  ];
  for (const wanted of foreign)
    t.equal(returnAddress(wanted, SITE), home, JSON.stringify(wanted.slice(0, 40)));
  for (const wanted of [undefined, null, 7, ['/a'], { a: 1 }]) t.equal(returnAddress(wanted, SITE), home);
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'/\\.:@%2ef\t\n a?#;evil'), maxLength: 16 }),
        (wanted) => {
          const address = returnAddress(`/${wanted}`, SITE);
          const { origin, pathname } = new URL(address);
          return address.startsWith(home) && origin === SITE && !pathname.startsWith('//');
        },
      ),
      { numRuns: 5000 },
    ),
  );
});

t.test('each error in the options is a line that names the option', async (t) => {
  const linesOf = (options: unknown) => resolveGateOptions(options).mistakes;
  t.strictSame(linesOf({ sites: [SITE] }), undefined);
  t.strictSame(linesOf(7), ['the value must be an object']);
  t.strictSame(linesOf({}), ['sites is missing']);
  t.strictSame(
    linesOf({
      sites: [SITE],
      image: 'yes',
      rest: 'ask',
      more: 1,
      pass: { seconds: 5, ipv4: 24.5 },
      rules: [{ action: 'drop' }, { action: 'pass', paths: ['a', '/é'], path: '/' }, 7],
      feeds: ['/a b'],
      robots: [{ name: 'a b', hosts: ['Google.com'], addresses: [] }],
    }),
    [
      'more: unknown option',
      'image must be true or false',
      'pass.seconds must be a whole number from 60 to 2592000',
      'pass.ipv4 must be a whole number from 8 to 32, or 0',
      'rules[0].action must be one of pass, check, refuse',
      'rules[1].path: unknown option',
      'rules[1].paths[0] must be a path such as /feed.xml or /assets/*, in printable ASCII',
      'rules[1].paths[1] must be a path such as /feed.xml or /assets/*, in printable ASCII',
      'rules[2] must be an object',
      'feeds[0] must be a path such as /feed.xml or /assets/*, in printable ASCII',
      'robots[0].name must be a name of 1 to 32 letters, digits, _ or -',
      'robots[0].hosts[0] must be a domain such as googlebot.com, in lower case',
      'robots[0].addresses must be a list of addresses and ranges such as 203.0.113.0/24',
      'rest must be one of check, pass',
    ],
  );
  t.strictSame(
    linesOf({
      sites: ['www.example.com', `${SITE}/`, SITE, 'https://www.example.com:443', 'ftp://a.example', SITE],
      rules: [
        { action: 'pass', sites: [OTHER], addresses: ['1.2.3', '0.0.0.0/0', '10.0.0.0/33', 'fe80::1%a'] },
      ],
      robots: [
        { name: 'a', agent: 'Bot' },
        { name: 'a', hosts: ['a.example'] },
      ],
    }),
    [
      'sites[0] must be an origin such as https://www.example.com',
      'sites[1] must be an origin such as https://www.example.com',
      'sites[3] must be an origin such as https://www.example.com',
      'sites[4] must be an origin such as https://www.example.com',
      'sites[5] must not repeat the host of another site',
      'rules[0].sites must name some of the sites',
      'rules[0].addresses must hold addresses and ranges, not "1.2.3"',
      'rules[0].addresses must hold addresses and ranges, not "0.0.0.0/0"',
      'rules[0].addresses must hold addresses and ranges, not "10.0.0.0/33"',
      'rules[0].addresses must hold addresses and ranges, not "fe80::1%a"',
      'robots[0] must have hosts or addresses: anybody can send the User-Agent of a robot',
      'robots[1].name must not repeat that of another robot',
      "robots[1].agent is missing: without it each visitor's address would be looked up",
    ],
  );
});
