// Changes every metric of both services: users, machines, attackers and an outage.

import { setTimeout as sleep } from 'node:timers/promises';
import { makePass } from '@tollgate/shared/challenges';
import type { Site, User } from '../e2e/site.js';

/** The admin port keys in these tests. */
export const KEYS = {
  HOST_API_KEY: 'the-key-of-the-default-host-0123456789',
  SESSION_API_KEY: 'the-key-of-the-other-services-0123456789',
};

/** A site with an unknown secret. */
export const SITE = {
  SITES: JSON.stringify({ shop: { secret_sha256: '0'.repeat(64), hostnames: ['shop.example'] } }),
};

/** A site behind the gate. */
export const GATE = { GATE: JSON.stringify({ sites: ['http://gated.test'] }) };

/** Requests of the site's pages and servers; both are rejected, except for issued work. */
export async function visitSite({ gateway }: Pick<Site, 'gateway'>): Promise<void> {
  await gateway.get('/api/captcha/sites/shop/pow');
  await gateway.post('/api/captcha/sites/shop/redeem', { body: {} });
  await gateway.post('/api/captcha/siteverify', { body: { secret: 'x', response: 'x' } });
}

/** More wrong site secrets than one address may try within a minute. */
async function guessSecrets(gateway: Site['gateway']): Promise<void> {
  for (let i = 0; i < 61; i++) {
    await gateway.post('/api/captcha/siteverify', { body: { secret: 'x', response: 'x' } });
  }
}

/** Logins, refreshes, images and submissions, some of them wrong; the probes of an orchestrator. */
export async function visit(site: Site, user: User): Promise<void> {
  const { gateway, sessionAdmin, challengeAdmin } = site;
  const { cookie } = await site.logIn(user);
  await site.refresh(cookie);
  await site.tryLogIn({ ...user, password: 'wrong' }, { ip: site.newAddress() });
  const image = await site.image();
  await gateway.get(`/api/captcha/${image.captcha_token}.png`);
  await gateway.get('/api/captcha?preset=effort');

  const headers = { authorization: `Bearer ${KEYS.HOST_API_KEY}` };
  const work = await site.work();
  const verify = (body: object) => challengeAdmin.post('/host/verify', { body, headers });
  await verify({ ...work, ...image });
  await verify(work);
  await verify({ ...(await site.work()), ...(await site.image()), captcha: 'wrong' });

  const wrongKey = { authorization: 'Bearer nobody-has-this-key-0123456789-0123456789' };
  await challengeAdmin.post('/host/verify', { body: work, headers: wrongKey });
  await sessionAdmin.post('/introspect', { body: 'token=x', headers: wrongKey });
  await visitSite(site);
  await site.challenge.get('/api/captcha/gate/check', { headers: { 'x-forwarded-host': 'gated.test' } });
  await verify({ captcha_pass: makePass('nobody') });
  for (const client of [sessionAdmin, challengeAdmin]) await client.get('/health/ready');
}

/**
 * The store is unavailable until both services have reported it, and back when both are ready again. Meanwhile a user solves
 * work, logs in, refreshes and requests an image.
 */
export async function breakStore(site: Site, user: User): Promise<void> {
  const { redis, gateway, sessionAdmin, challengeAdmin } = site;
  const [work, image] = [await site.work(), await site.image()];
  const readiness = async (wanted: number) => {
    for (const client of [sessionAdmin, challengeAdmin]) {
      while ((await client.get('/health/ready')).status !== wanted) await sleep(50);
    }
  };
  await redis?.stop();
  await readiness(503);
  await gateway.get('/api/captcha/pow');
  await gateway.get(`/api/captcha/${image.captcha_token}.png`);
  await gateway.post('/login', { body: { ...user, ...work } });
  await gateway.post('/refresh', { headers: { cookie: 'refreshToken=forged' } });
  await guessSecrets(gateway);
  await redis?.start();
  await readiness(200);
}
