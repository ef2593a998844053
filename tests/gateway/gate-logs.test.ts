// Logs of the gate's gateways while challenge-service is unavailable: no secret of a site.

import { freePort } from '@tollgate/test-support/free-port.js';
import t from 'tap';
import { ask } from '../throw-away-service.js';
import { readExample, runCaddy, runNginx } from './gateway-programs.js';

const SECRET = 'a-secret-of-a-site';

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
