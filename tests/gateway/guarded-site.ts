// A test site behind the gate: a small origin, and challenge-service in this process.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openChallengeService } from '@tollgate/challenge-service/service.js';
import { startService } from '@tollgate/shared/http';
import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import type { Test } from 'tap';

/** Properties of the site, and its requests. */
export interface Origin {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** Requests that reached it, such as `GET /a?b=c`. */
  readonly received: string[];
}

/** Starts a site whose pages show their address; its form posts to `/send`. */
export async function startOrigin(t: Pick<Test, 'teardown'>): Promise<Origin> {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    received.push(`${request.method} ${request.url}`);
    if (request.url === '/broken') response.statusCode = 500;
    if (request.url === '/forbidden') response.statusCode = 403;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><head><title>Site</title></head><body><h1 id="here"></h1>
<p id="body">${body}</p><form method="post" action="/send"><input name="text"><button>Send</button></form>
<script>here.textContent = 'The site at ' + location.pathname + location.search + location.hash</script></body></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Starts challenge-service with a gate. Returns its `host:port`. @param variables further ones, and `GATE` */
export async function startGate(
  t: Pick<Test, 'teardown'>,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const port = await freePort();
  const environment = {
    PUBLIC_URL: 'http://localhost',
    DATA_DIR: tempDir(t),
    TRUST_PROXY: 'loopback',
    CHALLENGE_PORT: String(port),
    CHALLENGE_ADMIN_PORT: '0',
    DRAIN_SECONDS: '0',
    LOG_LEVEL: 'silent',
    CHALLENGE_SECRET: 'challenge-secret-of-the-tests-0001',
    CAPTCHA_TEST_MODE: 'true',
    CAPTCHA_POW_DIFFICULTY: '4',
    CAPTCHA_MIN_SECONDS: '0',
    CAPTCHA_NO_SCRIPT: 'image',
    RATE_LIMIT_POW: '1000',
    RATE_LIMIT_NO_SCRIPT: '1000',
    ...variables,
  };
  const service = await openChallengeService(environment, {
    output: { write: () => {} },
    run: startService,
  });
  t.teardown(() => service.stop());
  return `127.0.0.1:${port}`;
}
