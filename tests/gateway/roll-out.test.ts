// A rollout on one machine: all processes restart one after the other behind the example gateways, and no request fails.

import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@tollgate/test-support/free-port.js';
import { PASSWORD } from '@tollgate/test-support/static-directory.js';
import t from 'tap';
import { connectTo } from '../e2e/client.js';
import { Secrets } from '../e2e/secrets.js';
import { CHEAP } from '../e2e/site.js';
import { runCaddyGateway, runNginxGateway } from './gateway-programs.js';
import { startSteadyLoad } from './steady-load.js';
import { startTwoOfEach } from './two-of-each.js';

/** Through each gateway. */
const REQUESTS = 2_000;
const PEOPLE = 10;
/** Long enough that the requests last for a restart of every process. */
const PAUSE_MS = 75;
/** A gateway checks every second: it must find a restarted process before the next one stops. */
const FOUND_MS = 2_500;

t.setTimeout(240_000);

t.test(
  '2,000 requests through each gateway while two processes of each service on one machine are restarted: none fails',
  async (t) => {
    const caddyPort = await freePort();
    const { sessions, challenges, logs } = await startTwoOfEach(t, {
      ...CHEAP,
      PUBLIC_URL: `http://localhost:${caddyPort}`,
    });
    const upstreams = { sessions: sessions.map(({ at }) => at), challenges: challenges.map(({ at }) => at) };
    const gateways = {
      Caddy: await runCaddyGateway(t, { port: caddyPort, ...upstreams }),
      nginx: await runNginxGateway(t, { port: await freePort(), ...upstreams }),
    };

    const secrets = new Secrets();
    secrets.note(PASSWORD);
    const loads = Object.entries(gateways).map(([name, gateway], at) => {
      const client = connectTo(gateway.url, secrets);
      t.teardown(() => client.close());
      const options = { people: PEOPLE, pauseMs: PAUSE_MS, firstUser: 1 + at * PEOPLE };
      return { name, gateway, load: startSteadyLoad(client, secrets, options) };
    });
    const haveSent = async (count: number) => {
      while (loads.some(({ load }) => load.count < count)) await sleep(50);
    };

    await haveSent(REQUESTS / 10);
    // One after the other, repeatedly while requests remain: each is sent during a rollout.
    for (let round = 0; round < 2 || loads.some(({ load }) => load.count < REQUESTS); round++) {
      const stops = await Promise.all([sessions, challenges].map((nodes) => nodes[round % 2]?.restart()));
      for (const stop of stops) {
        t.equal(stop?.code, 0);
        t.comment(`${stop?.service} ended after ${Math.round(stop?.ms ?? 0)} ms`);
      }
      await sleep(FOUND_MS);
    }

    const finished = await Promise.all(
      loads.map(async (each) => ({ ...each, failures: await each.load.stop() })),
    );
    for (const { name, gateway, load, failures } of finished) {
      await t.test(name, async (t) => {
        t.comment(`${load.count} requests, ${failures.length} failed`);
        t.strictSame(failures, []);
        t.ok(load.count >= REQUESTS);
        const lines = () => gateway.log().split('"status":').length - 1;
        while (lines() < load.count) await sleep(20);
        t.pass('the gateway has logged a line for each');
        t.strictSame(secrets.leaksIn(gateway.log()), [], 'and no secrets');
      });
    }
    t.notMatch(logs(), /other CAPTCHA_ options/, 'no process warns about itself');
  },
);
