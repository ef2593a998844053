// The operator's commands as npm scripts, beside running services.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { type Environment, projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t, { type Test } from 'tap';
import { readProjectFile } from '../docs/project-file.js';
import { startServiceHere } from '../system/services-here.js';
import { CHEAP, onStore, type Site } from './site.js';

t.setTimeout(300_000);

t.test('on the data of one machine', (t) => onStore(t, 'embedded', CHEAP, (t, site) => tests(t, site, {})));

t.test('with a Redis for the sessions and one for the challenges', async (t) => {
  const stores = { CAPTCHA_CACHE_STORE: (await startRedis(t)).url };
  const environment = { ...CHEAP, ...stores };
  await onStore(t, 'redis', environment, (t, site) => tests(t, site, stores), {}, startServiceHere);
});

async function tests(t: Test, site: Site, stores: Environment): Promise<void> {
  const { gateway, redis, system } = site;
  const environment = {
    ...stores,
    DATA_DIR: dirname(system.logFolder),
    ...(redis === undefined ? {} : { STORE_URL: redis.url }),
  };
  const run = (...args: string[]) => runScript(environment, args);
  const user = await site.newUser();

  await t.test('session why distinguishes live and ended sessions', async (t) => {
    const { accessToken } = await site.logIn(user);
    const sid = (await site.events('login')).at(-1)?.sid ?? '';
    t.match(await run('session', 'why', sid), {
      code: 0,
      out: `Session ${sid} of user ${user.id} is alive, at generation 1.\n`,
    });
    await gateway.post('/logout', { headers: { authorization: `Bearer ${accessToken}` } });
    const { code, out } = await run('session', 'why', sid, '--json');
    t.equal(code, 0);
    t.match(JSON.parse(out), { session: sid, state: 'ended', user: user.id, reason: 'logout' });
    t.equal((await run('session', 'why', 'x'.repeat(22))).code, 3);
    t.notOk(out.includes(user.email));
  });

  await t.test('keys status counts the nodes of both services, also after a restart', async (t) => {
    const status = async () => {
      const { code, out } = await run('keys', 'status');
      t.equal(code, 0);
      return out;
    };
    const before = await status();
    t.match(before, 'ACCESS_SECRET, on 1 node:\n  append:');
    t.match(before, 'CHALLENGE_SECRET, on 2 nodes:\n  append:');
    t.notMatch(before, 'No node of the challenge service');
    await site.restart('challenge-service');
    const after = await status();
    t.match(after, 'CHALLENGE_SECRET, on 2 nodes:\n  append:', 'it has deregistered and registered');
    for (const secret of Object.values(system.secrets)) t.notOk((before + after).includes(secret));
  });

  await t.test('users list', async (t) => {
    t.match(await run('users', 'list'), { code: 0, out: `${user.id}\t${user.email}\tenabled` });
  });
}

const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> };

/** Runs a script's command as npm does, without npm's own second. */
async function runScript(environment: Environment, [name = '', ...args]: readonly string[]) {
  const { PATH, HOME } = process.env;
  const [command = '', ...first] = scripts[name]?.split(' ') ?? [];
  const child = spawn(command, [...first, ...args], {
    cwd: projectRoot,
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const [code] = await once(child, 'close');
  return { code, out };
}
