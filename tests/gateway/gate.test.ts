// A whole site behind the gate, with the files for Caddy and nginx, visited in Chromium; and the logs of these gateways.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { freePort } from '@tollgate/test-support/free-port.js';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { launchBrowser } from '../browser/chromium.js';
import { ask, startService } from '../throw-away-service.js';
import { readExample, runCaddy, runNginx } from './gateway-programs.js';
import { type Origin, startGate, startOrigin } from './guarded-site.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const BROWSER = { Accept: 'text/html' };

const [origin, caddyPort, nginxPort, imagePort, dualPort] = [
  await startOrigin(t),
  await freePort(),
  await freePort(),
  await freePort(),
  await freePort(),
];
const withBoth = `http://localhost:${dualPort}`;
const sites = [...[caddyPort, nginxPort].map((port) => `http://127.0.0.1:${port}`), withBoth];
const [withCaddy = '', withNginx = ''] = sites;
const gate = await startGate(t, {
  GATE: JSON.stringify({
    sites,
    rules: [
      { action: 'refuse', paths: ['/private*'] },
      { action: 'pass', paths: ['/open/*'] },
    ],
    feeds: ['/feed.xml'],
    robots: [{ name: 'monitor', agent: 'Monitor', addresses: ['127.0.0.0/8'] }],
  }),
});
const withImage = `http://127.0.0.1:${imagePort}`;
const imageGate = await startGate(t, { GATE: JSON.stringify({ sites: [withImage], image: true }) });
const browser = await launchBrowser();
t.teardown(() => browser.close());

function startCaddy(t: Test, url: string, challenges: string): Promise<unknown> {
  const variables = { SITE_URL: url, APP_UPSTREAM: origin.host, CHALLENGE_UPSTREAM: challenges };
  return runCaddy(t, readExample('gate.Caddyfile'), variables, Number(new URL(url).port));
}

await startCaddy(t, withCaddy, gate);
await startCaddy(t, withImage, imageGate);
await startCaddy(t, withBoth, gate);
await runNginx(
  t,
  readExample('gate.nginx.conf')
    .replace('challenge-service:3002', gate)
    .replace('app:8000', origin.host)
    .replace('listen 80;', `listen 127.0.0.1:${nginxPort};`)
    .replaceAll('www.example.com', '127.0.0.1'),
  nginxPort,
);

/** Sends a raw request, and returns all received bytes until the other side closes. @param host `127.0.0.1:PORT` */
async function askRaw(host: string, request: string): Promise<string> {
  const [address = '', port] = host.split(':');
  const socket = connect(Number(port), address);
  socket.write(request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  let answer = '';
  for await (const text of socket.setEncoding('utf8')) answer += text;
  return answer;
}

/** A new visitor; a policy violation or an error in a page fails the test. */
async function visitor(t: Test, browser: Browser, options: Parameters<Browser['newContext']>[0] = {}) {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  t.teardown(() => context.close());
  context.on('weberror', (error) => t.fail(`error in the page: ${error.error().message}`));
  context.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) t.fail(message.text());
  });
  return { context, page: await context.newPage() };
}

const arrives = (page: Page, at: string) =>
  page.getByRole('heading', { name: `The site at ${at}`, exact: true }).waitFor();

/** Requirements for every gateway with the gate. */
async function guards(t: Test, url: string, { received }: Origin): Promise<BrowserContext> {
  await t.test('a program without a pass gets a clear response, and the site no request', async (t) => {
    received.length = 0;
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await ask(`${url}/wanted`, { method, ...(method === 'POST' ? { body: 'a=b' } : {}) });
      t.equal(answer.status, 403, method);
      t.match(JSON.parse(answer.text), { code: 'gate_pass_required' });
      t.match(answer.headers, { 'cache-control': 'no-store', 'content-type': /^application\/json/ });
    }
    t.match(await ask(`${url}/wanted`, { method: 'HEAD' }), { status: 403, text: '' });
    const page = await ask(`${url}/wanted`, { headers: BROWSER });
    t.equal(page.status, 403);
    t.match(page.headers, { 'content-type': /^text\/html/, 'content-security-policy': /script-src 'self'/ });
    t.strictSame(received, []);
  });

  await t.test('well-known files, feeds, rules and robots; tricks with paths do not pass', async (t) => {
    received.length = 0;
    for (const path of ['/robots.txt', '/.well-known/security.txt', '/feed.xml', '/open/a?b=%2B']) {
      t.equal((await ask(url + path)).status, 200, path);
    }
    t.equal((await ask(`${url}/any`, { headers: { 'User-Agent': 'Monitor/1' } })).status, 200);
    t.strictSame(received.splice(0), [
      ...[
        'GET /robots.txt',
        'GET /.well-known/security.txt',
        'GET /feed.xml',
        'GET /open/a?b=%2B',
        'GET /any',
      ],
    ]);
    for (const path of [
      '/open/..%2fa',
      '/open/%2e%2e/a',
      '/open//a',
      '/open/a;b',
      '/robots.txt%00',
      '/private/a',
    ]) {
      const { status } = await ask(url + path);
      t.ok([400, 403].includes(status), `${path} ${status}`);
    }
    const claims = {
      'X-Forwarded-Uri': '/open/a',
      'X-Forwarded-Method': 'OPTIONS',
      'X-Forwarded-For': '127.0.0.1',
    };
    t.equal((await ask(`${url}/wanted`, { headers: claims })).status, 403, 'claims of a client do not count');
    t.equal(
      (await ask(`${url}/api/captcha/gate/check`, { headers: claims })).status,
      404,
      'the subrequest is internal',
    );
    const many = Array.from({ length: 1_050 }, () => ['w', '']).flat();
    const flooded = await ask(`${url}/private/a`, { headers: ['Host', new URL(url).host, ...many] });
    t.ok(
      flooded.status === 400 || flooded.text.includes('gate_refused'),
      'nor do many headers hide its path',
    );
    t.strictSame(received, []);
  });

  const { context, page } = await visitor(t, browser);
  await t.test('a visitor is stopped, the browser works, and arrives at the requested address', async () => {
    await page.goto(`${url}/wanted?a=b%20c&d=%C3%A9#part`);
    await arrives(page, '/wanted?a=b%20c&d=%C3%A9#part');
    await page.goto(`${url}/other`);
    await arrives(page, '/other');
  });

  await t.test('responses of the site are forwarded', async (t) => {
    for (const [path, status] of [
      ['/broken', 500],
      ['/forbidden', 403],
    ] as const) {
      const answer = await page.goto(url + path);
      t.equal(answer?.status(), status);
      await arrives(page, path);
    }
    const refused = await page.goto(`${url}/private/a`);
    t.equal(refused?.status(), 403);
    await page.getByText('This page cannot be opened from your network.').waitFor();
  });

  await t.test(
    'a form sent without a pass is lost, which the page says, and can be sent again',
    async (t) => {
      await page.goto(`${url}/form`);
      await arrives(page, '/form');
      await page.fill('[name=text]', 'kept');
      await context.clearCookies();
      received.length = 0;
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('What you sent before was not delivered').waitFor();
      t.notOk(received.includes('POST /send'));
      await page.getByRole('button', { name: 'Go back' }).click();
      await arrives(page, '/form');
      await page.fill('[name=text]', 'kept');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('#body:text-is("text=kept")').waitFor();
    },
  );

  await t.test('a form sent into a new tab was lost, and the button there did nothing', async (t) => {
    await page.goto(`${url}/form`);
    await arrives(page, '/form');
    await page.$eval('form', (form) => form.setAttribute('target', '_blank'));
    await context.clearCookies();
    const opening = context.waitForEvent('page');
    await page.getByRole('button', { name: 'Send' }).click();
    const tab = await opening;
    await tab.getByText('What you sent before was not delivered').waitFor();
    t.equal(await tab.getByRole('button').count(), 0);
    await tab.close();
  });
  return context;
}

const SECRET = 'a-secret-of-a-site';

t.test('Caddy and nginx in front of one site', async (t) => {
  await t.test('forward_auth of Caddy', async (t) => void (await guards(t, withCaddy, origin)));
  await t.test('auth_request of nginx', async (t) => void (await guards(t, withNginx, origin)));
});

t.test('nginx checks the host that it serves, whatever the headers of a client', async (t) => {
  const host = new URL(withNginx).host;
  t.equal((await ask(`${withNginx}/robots.txt`)).status, 200);
  const stranger = await ask(`${withNginx}/robots.txt`, { headers: { Host: 'other.example' } });
  t.equal(stranger.status, 421);
  origin.received.length = 0;
  const raw = await askRaw(host, `GET http://other.example/open/a HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  t.match(raw, /^HTTP\/1\.1 421 /, 'the request line determines the host');
  const other = await askRaw(host, `GET http://${host}/open/a HTTP/1.1\r\nHost: other.example\r\n\r\n`);
  t.match(other, /"gate_site_unknown"/, 'the header is not forwarded');
  t.strictSame(origin.received, []);
});

t.test('nginx tells a robot to return when the failed lookup is repeated', async (t) => {
  let wait: string | undefined = '60';
  const check = await startService((_received, response) => {
    response.writeHead(503, wait === undefined ? {} : { 'retry-after': wait }).end('{}');
  });
  t.teardown(() => check.close());
  const port = await freePort();
  await runNginx(
    t,
    readExample('gate.nginx.conf')
      .replace('challenge-service:3002', new URL(check.url).host)
      .replace('app:8000', origin.host)
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replaceAll('www.example.com', '127.0.0.1'),
    port,
  );
  const url = `http://127.0.0.1:${port}/a`;
  t.match(await ask(url), { status: 503, headers: { 'retry-after': '60', 'cache-control': 'no-store' } });
  wait = undefined;
  t.match(await ask(url), { status: 503, headers: { 'retry-after': '1' } }, 'else soon');
});

t.test('a pass from one gateway is valid behind another of the same site', async (t) => {
  // Two gateways of one host: Caddy responds under nginx's host name.
  const { context, page } = await visitor(t, browser);
  await page.goto(`${withCaddy}/a`);
  await arrives(page, '/a');
  const [cookie] = await context.cookies();
  t.match(cookie, { name: 'tollgate-pass', httpOnly: true, sameSite: 'Lax', path: '/' });
  const headers = { Cookie: `${cookie?.name}=${cookie?.value}` };
  t.equal((await ask(`${withCaddy}/b`, { headers })).status, 200);
  const asNginx = { ...headers, Host: new URL(withCaddy).host };
  t.equal((await ask(`${withNginx}/b`, { headers: asNginx })).status, 200);
  t.equal((await ask(`${withNginx}/b`, { headers })).status, 403, 'but not of another site');
});

t.test('a visitor solves a required image, also without JavaScript', async (t) => {
  const { page } = await visitor(t, browser);
  const issued = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/captcha');
  await page.goto(`${withImage}/wanted?a=b`);
  const { answer } = (await (await issued).json()) as { answer: string };
  await page.getByRole('textbox', { name: 'Characters in the image' }).fill(answer);
  await page.getByRole('button', { name: 'Continue' }).click();
  await arrives(page, '/wanted?a=b');

  const plain = await visitor(t, browser, { javaScriptEnabled: false });
  const shown = plain.page.waitForResponse((response) => response.url().includes('/no-script/'));
  await plain.page.goto(`${withImage}/wanted?a=b&c="`);
  const text = await (await shown).headerValue('x-captcha-answer');
  await plain.page.fill('input#answer', String(text));
  await plain.page.getByRole('button', { name: 'Continue' }).click();
  await plain.page.waitForURL(`${withImage}/wanted?a=b&c=%22`);
  await plain.page.locator('h1#here').waitFor({ state: 'attached' });
});

t.test('without cookies the page reports it instead of looping', async (t) => {
  const { page, context } = await visitor(t, browser);
  // The response with a pass that is not stored.
  await context.route('**/gate/pass', (route) => route.fulfill({ json: { expires_in: 3600 } }));
  await page.goto(`${withCaddy}/a`);
  await page.getByText('Allow cookies for this site, then try again.').waitFor();
  await context.unroute('**/gate/pass');
  await page.getByRole('button', { name: 'Try again' }).click();
  await arrives(page, '/a');
});

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

t.test('a page over one address family and its work over the other', { skip: !hasIpv6 }, async (t) => {
  const { page, context } = await visitor(t, browser);
  const loads: string[] = [];
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) loads.push(`${response.status()}`);
  });
  let posted = 0;
  await context.route('**/gate/pass', async (route) => {
    const { ipAddress = '' } = (await (await pageResponse)?.serverAddr()) ?? {};
    const other = ipAddress === '127.0.0.1' ? '[::1]' : '127.0.0.1';
    posted += 1;
    const request = route.request();
    const answer = await ask(`http://${other}:${dualPort}/api/captcha/gate/pass`, {
      method: 'POST',
      headers: { ...(await request.allHeaders()), Host: `localhost:${dualPort}` },
      body: request.postData() ?? '',
    });
    await route.fulfill({
      status: answer.status,
      headers: answer.headers as Record<string, string>,
      body: answer.text,
    });
  });
  const pageResponse = page.goto(`${withBoth}/wanted`);
  await arrives(page, '/wanted');
  t.equal(posted, 1, 'once, although the pass is from the other network');
  t.strictSame(loads, ['403', '200']);
  const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  for (const address of ['127.0.0.1', '[::1]']) {
    const headers = { Cookie: cookies, Host: `localhost:${dualPort}` };
    t.equal((await ask(`http://${address}:${dualPort}/b`, { headers })).status, 200, address);
  }
});

t.test('a browser with changing addresses works again, and then gets the reason', async (t) => {
  const { page, context } = await visitor(t, browser);
  let posted = 0;
  await context.route('**/gate/pass', async (route) => {
    posted += 1;
    await route.fulfill({ json: { expires_in: 3600 } });
  });
  await context.route('**/roaming', async (route) => {
    const response = await route.fetch();
    // The service's response to a pass of another network.
    const body = (await response.text()).replace('<form id="check"', '$& data-moved="The address changes."');
    await route.fulfill({ response, body });
  });
  await page.goto(`${withCaddy}/roaming`);
  await page.getByText('The address changes.').waitFor();
  t.equal(posted, 3);
  await context.unroute('**/gate/pass');
  await page.getByRole('button', { name: 'Try again' }).click();
  await arrives(page, '/roaming');
});

t.test('after too many requests a pass comes when the retry time is over', async (t) => {
  const { page, context } = await visitor(t, browser);
  let refusals = 0;
  await context.route('**/gate/pass', async (route) => {
    refusals += 1;
    if (refusals === 1) {
      const json = { message: 'Too many requests.', code: 'rate_limited' };
      await route.fulfill({ status: 429, headers: { 'Retry-After': '3' }, json });
    } else if (refusals === 2) await route.fulfill({ status: 503, body: '<h1>away</h1>' });
    else await route.continue();
  });
  await page.goto(`${withCaddy}/busy`);
  await page.getByText('The check has to wait a moment. It goes on by itself in:').waitFor();
  t.match(await page.getByRole('timer').textContent(), /^[123] seconds?$/);
  t.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, 'no button to press');
  await arrives(page, '/busy');
  t.equal(refusals, 3);
});

t.test('the page: no axe findings, no sideways scrolling, small', async (t) => {
  const { page } = await visitor(t, browser, { viewport: { width: 360, height: 640 }, bypassCSP: true });
  for (const locale of ['en', 'de', 'ar']) {
    for (const [colorScheme, forcedColors] of [
      ['light', 'none'],
      ['dark', 'none'],
      ['light', 'active'],
    ] as const) {
      await page.emulateMedia({ colorScheme, forcedColors, reducedMotion: 'reduce' });
      await page.setExtraHTTPHeaders({ 'Accept-Language': locale });
      await page.goto(`${withImage}/a/very/long/path/${'x'.repeat(200)}`);
      await page.locator('tollgate-challenge img').waitFor();
      const violations = await page.evaluate(
        `(async () => { ${axe}; return (await globalThis.axe.run()).violations.map(({ id, nodes }) => id + ' ' + nodes[0].html); })()`,
      );
      t.strictSame(violations, [], `${locale} ${colorScheme} ${forcedColors}`);
      t.ok(
        await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
        `${locale}: 360 px are enough`,
      );
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
  const fresh = await visitor(t, browser);
  const requests: Request[] = [];
  fresh.page.on('requestfinished', (request) => {
    if (/tollgate|\/a$/.test(request.url())) requests.push(request);
  });
  await fresh.page.goto(`${withImage}/a`);
  await fresh.page.locator('tollgate-challenge img').waitFor();
  const sizes = await Promise.all(requests.map((request) => request.sizes()));
  const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  t.comment(`${bytes} bytes`);
  t.ok(bytes > 20_000 && bytes < 40_000, `${bytes} bytes`);
});

t.test('the file for Traefik: routes, the subrequest, and the guarded sites', async (t) => {
  const { routers, middlewares, services } = parse(readExample('gate.traefik.yml')).http;
  t.match(
    middlewares.gate.forwardAuth.address,
    /^http:\/\/challenge-service:3002\/api\/captcha\/gate\/check$/,
  );
  t.notOk('trustForwardHeader' in middlewares.gate.forwardAuth);
  t.strictSame(routers['gate-challenges'].middlewares, ['requests']);
  t.strictSame(routers['guarded-site'].middlewares, ['requests', 'gate']);
  const lengths = ['gate-challenges', 'guarded-site-websockets', 'guarded-site'].map(
    (name) => routers[name].rule.length,
  );
  t.strictSame(
    lengths.toSorted((a, b) => b - a),
    lengths,
    'the first matching router comes first',
  );
  for (const name of ['Upgrade', 'Connection', 'HTTP2-Settings', 'X-Original-URL', 'X-Rewrite-URL'])
    t.equal(middlewares.requests.headers.customRequestHeaders[name], '', `${name} is removed`);
  const sockets = routers['guarded-site-websockets'];
  t.match(sockets.rule, /HeaderRegexp\(`Upgrade`, `\(\?i\)\^websocket\$`\)/);
  t.strictSame(sockets.middlewares, ['requests', 'websockets', 'gate']);
  t.strictSame(middlewares.websockets.headers.customRequestHeaders, {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
  });
  for (const { service } of Object.values<{ service: string }>(routers)) t.ok(services[service], service);
});

t.test('an error of the upstream is logged without the query of a siteverify', async (t) => {
  const nobody = `127.0.0.1:${await freePort()}`;
  const nginxPort = await freePort();
  const configuration = readExample('gate.nginx.conf')
    .replace('challenge-service:3002', nobody)
    .replace('app:8000', nobody)
    .replace('listen 80;', `listen 127.0.0.1:${nginxPort};`)
    .replaceAll('www.example.com', 'localhost');
  const caddyPort = await freePort();
  const variables = {
    SITE_URL: `http://localhost:${caddyPort}`,
    APP_UPSTREAM: nobody,
    CHALLENGE_UPSTREAM: nobody,
  };
  const gateways = {
    nginx: { port: nginxPort, ...(await runNginx(t, configuration, nginxPort)) },
    Caddy: {
      port: caddyPort,
      ...(await runCaddy(t, readExample('gate.Caddyfile'), variables, caddyPort)),
    },
  };
  for (const [name, { port, log }] of Object.entries(gateways)) {
    const path = `/api/captcha/siteverify?secret=${SECRET}&response=x`;
    const { status } = await ask(`http://localhost:${port}${path}`);
    t.ok(status >= 502, name);
    // The line about a later request follows the one about this request.
    await ask(`http://localhost:${port}/later`);
    t.notMatch(log(), SECRET, name);
  }
});
