// The gateway with nginx, on the example file.

import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { examine } from '@tollgate/tools/doctor/examine.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { startSystem } from '@tollgate/tools/launcher/system.js';
import t from 'tap';
import { CHEAP, complaints } from '../doctor/examined-system.js';
import { freePorts } from '../launcher/launch.js';
import { startServiceHere } from '../system/services-here.js';
import { ask } from '../throw-away-service.js';
import { runNginxGateway } from './gateway-programs.js';
import { followsTheRules, repeatsOnlyWhatIsSafe, startAnsweringServices } from './gateway-rules.js';

t.test('routes and headers', async (t) => {
  const services = await startAnsweringServices(t);
  const { url } = await runNginxGateway(t, {
    port: await freePort(),
    sessions: [new URL(services.session.url).host],
    challenges: [new URL(services.challenge.url).host],
  });
  const big = await ask(`${url}/login`, { method: 'POST', body: Buffer.alloc(2_000_000) });
  t.match(big, { status: 413, headers: { 'cache-control': 'no-store' } });
  t.equal(JSON.parse(big.text).code, 'body_too_large');
  await followsTheRules(t, url, services);
});

t.test('repeats', async (t) => {
  await repeatsOnlyWhatIsSafe(t, async (t, sessions) => {
    const { url } = await runNginxGateway(t, {
      port: await freePort(),
      sessions,
      challenges: ['127.0.0.1:1'],
    });
    return url;
  });
});

for (const [path, title] of [
  ['', 'the whole system behind it: doctor logs in, refreshes, logs out and finds nothing'],
  ['/auth', 'with a path, which is stripped and is part of the cookie path'],
] as const) {
  t.test(title, async (t) => {
    const port = await freePort();
    const publicUrl = `http://localhost:${port}${path}`;
    const environment = { ...CHEAP, ...freePorts, DATA_DIR: tempDir(t), PUBLIC_URL: publicUrl };
    const system = await startSystem({ startService: startServiceHere, environment });
    t.teardown(() => system.stop());
    const upstreams = {
      sessions: [`127.0.0.1:${system.ports.session}`],
      challenges: [`127.0.0.1:${system.ports.challenge}`],
    };
    // As described at the head of the file.
    const stripped = (file: string) =>
      file.replace('    location / {', `    location /auth/ { rewrite ^/auth(/.*)$ $1 last; }\n$&`);
    const { url } = await runNginxGateway(t, { port, ...upstreams }, path === '' ? undefined : stripped);
    const report = await examine({
      publicUrl,
      challengePrefix: 'api/captcha',
      pageOrigin: url,
      account: system.demo,
      fields: { token: 'pow_token', nonce: 'pow_nonce' },
      env: {},
      root: projectRoot,
    });
    t.strictSame(complaints(report), []);
    if (path !== '') t.equal((await ask(`${url}/authx/login`)).status, 404);
  });
}
