// Scopes in which refresh cookie duplicates are expired.
import t from 'tap';
import { boundedFrom, MAX_EXPIRED, pathBelow, twinScopes } from '../../src/domain/presented-cookies.js';

const text = ({ domain = '', path, partitioned }: { domain?: string; path: string; partitioned?: boolean }) =>
  `${domain} ${path}${partitioned ? ' partitioned' : ''}`;

t.test('twin scopes cover every prefix of the path, with and without a trailing slash', async (t) => {
  const paths = ['/', '/a', '/a/', '/a/refresh', '/a/refresh/'];
  const domains = ['', 'auth.example.com', 'example.com'];
  const places = domains.flatMap((domain) => paths.map((path) => `${domain} ${path}`));
  t.strictSame(
    twinScopes('auth.example.com', '/a/refresh').map(text).sort(),
    places
      .filter((place) => place !== ' /a/refresh')
      .flatMap((place) => [place, `${place} partitioned`])
      .sort(),
  );
});

t.test('an IP address has no parent domains', async (t) => {
  for (const host of ['127.0.0.1', '[::1]']) {
    t.ok(
      twinScopes(host, '/refresh').every(({ domain }) => domain === undefined),
      host,
    );
  }
});

t.test('a host name with a numeric label has parent domains', async (t) => {
  for (const [host, parents] of [
    ['1.auth.example.com', ['1.auth.example.com', 'auth.example.com', 'example.com']],
    ['auth.node.1', ['auth.node.1', 'node.1']],
    ['localhost', ['localhost']],
  ] as const) {
    const domains = new Set(twinScopes(host, '/refresh').map(({ domain }) => domain));
    t.strictSame([...domains], [undefined, ...parents]);
  }
});

t.test('the cookie path begins with the path of the public URL, without its trailing slashes', async (t) => {
  for (const [url, path] of [
    ['https://auth.example.com', '/refresh'],
    ['https://auth.example.com/', '/refresh'],
    ['https://example.com/a/b//', '/a/b/refresh'],
    ['https://example.com//a', '//a/refresh'],
  ] as const) {
    t.equal(pathBelow(url, '/refresh'), path);
  }
});

t.test("each response expires some of a deep URL's many scopes, and all of them in turn", async (t) => {
  const scopes = twinScopes('a.b.c.d.example.com', '/x/y/z/refresh');
  t.ok(scopes.length > 2 * MAX_EXPIRED, `${scopes.length}`);
  const seen = new Set<string>();
  for (const start of scopes.keys()) {
    const part = boundedFrom(scopes, start);
    t.equal(part.length, MAX_EXPIRED);
    for (const scope of part) seen.add(text(scope));
  }
  t.equal(seen.size, scopes.length);
  const most = Array.from({ length: MAX_EXPIRED }, (_, at) => at);
  t.strictSame(boundedFrom(most, 3), most);
  const few = twinScopes('auth.example.com', '/refresh');
  t.strictSame(boundedFrom(few, 3).map(text).sort(), few.map(text).sort());
});
