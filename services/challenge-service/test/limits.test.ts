// Limits of networks, and of address ranges with their own limits.

import { ConfigurationError } from '@tollgate/shared/config';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { readChallengeConfig } from '../src/config.js';
import { openNode } from './challenge-node.js';

const OFFICE = '198.51.100.7';
const OTHER = '203.0.113.7';

// One customer filled the store with challenges from 700 addresses.

const NETWORK_LIMITS = {
  RATE_LIMIT_POW: '2',
  RATE_LIMIT_ISSUE: '2',
  RATE_LIMIT_FACTOR_56: '2',
  RATE_LIMIT_FACTOR_48: '3',
};

t.test('challenges are also limited per /56 and per /48, with effort counted as images', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const node = await openNode(t, store, { env: NETWORK_LIMITS });
    for (const [at, path] of ['/pow', '', '?preset=effort'].entries()) {
      const customer = `2001:db8:${at}`;
      const statuses = async (ips: string[]) => {
        const answers = [];
        for (const remoteAddress of ips) {
          const answer = await node.inject({ url: `/api/captcha${path}`, remoteAddress });
          answers.push(answer.statusCode);
          if (answer.statusCode === 429) t.match(answer.headers, { 'retry-after': /^\d+$/ });
        }
        return answers;
      };
      const [first, second, third] = [`${customer}:1201::7`, `${customer}:1202::7`, `${customer}:1203::7`];
      t.strictSame(await statuses([first, first, first]), [200, 200, 429], `${path}: twice per /64`);
      t.strictSame(await statuses([second, second, third]), [200, 200, 429], `${path}: four times per /56`);
      const elsewhere = [`${customer}:3400::7`, `${customer}:3400::7`, `${customer}:5600::7`];
      t.strictSame(await statuses(elsewhere), [200, 200, 429], `${path}: six times per /48`);
    }
  });
});

// An office behind one address, and clients that pretend to be there.

const RANGE_LIMITS = {
  RATE_LIMIT_RANGES: '198.51.100.0/24=3,2001:db8:7::/48=2',
  RATE_LIMIT_POW: '4',
  RATE_LIMIT_ISSUE: '2',
  RATE_LIMIT_FACTOR_56: '1',
  RATE_LIMIT_FACTOR_48: '1',
  CAPTCHA_POW_VOLUME_EVERY: '2',
};

t.test('limits and volume price are those of the range', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const node = await openNode(t, store, { env: RANGE_LIMITS });
    const ask = async (remoteAddress: string, path = '/pow', headers: Record<string, string> = {}) => {
      const answer = await node.inject({ url: `/api/captcha${path}`, remoteAddress, headers });
      const limit = answer.headers['ratelimit-limit'];
      return { status: answer.statusCode, bits: answer.json().difficulty, limit };
    };
    const many = async (times: number, address: string, path?: string) => {
      const answers = [];
      for (let at = 0; at < times; at++) answers.push(await ask(address, path));
      return answers;
    };
    const other = await many(5, OTHER);
    t.strictSame(
      other.map(({ bits }) => bits),
      [16, 18, 18, 20, undefined],
    );
    t.match(other[4], { status: 429, limit: 4 });
    const office = await many(13, OFFICE);
    t.strictSame(
      office.map(({ bits }) => bits),
      [16, 16, 16, 16, 16, 18, 18, 18, 18, 18, 18, 20, undefined],
    );
    t.match([office[11], office[12]], [{ status: 200, limit: 12 }, { status: 429 }]);
    const images = await many(7, OFFICE, '?preset=effort');
    t.strictSame(
      images.map(({ status }) => status),
      [200, 200, 200, 200, 200, 200, 429],
    );
    const network = ['2001:db8:7:1::1', '2001:db8:7:1::2', '2001:db8:7:2::1', '2001:db8:7:1::3'];
    const statuses = [];
    for (const address of [...network, ...network, ...network]) statuses.push((await ask(address)).status);
    t.equal(statuses.filter((status) => status === 200).length, 8, 'a /48 with the factors of its networks');

    const spoofed = { 'x-forwarded-for': OFFICE, forwarded: `for=${OFFICE}` };
    t.match(await ask(OTHER, '/pow', spoofed), { status: 429 }, 'a header that nobody trusted sets no range');
    t.match(await ask('203.0.113.8', '/pow', spoofed), { status: 200, limit: 4 });
  });
});

t.test("a trusted proxy's header entry counts, and earlier entries by the client do not", async (t) => {
  const { store } = embeddedStore(t);
  const node = await openNode(t, store, { env: { ...RANGE_LIMITS, TRUST_PROXY: '10.0.0.1' } });
  const limitOf = async (forwarded: string) => {
    const headers = { 'x-forwarded-for': forwarded };
    const answer = await node.inject({ url: '/api/captcha/pow', remoteAddress: '10.0.0.1', headers });
    return Number(answer.headers['ratelimit-limit']);
  };
  t.equal(await limitOf(OFFICE), 12);
  t.equal(await limitOf(`${OFFICE}, ${OTHER}`), 4);
});

t.test('an error in a range stops the start', async (t) => {
  const env = { CHALLENGE_SECRET: 'challenge-secret-of-these-tests-01', PUBLIC_URL: 'http://localhost:8080' };
  for (const wrong of ['198.51.100.7/24=3', '198.51.100.0/24', '198.51.100.0/24=3,', '::/0=2']) {
    t.throws(() => readChallengeConfig({ ...env, RATE_LIMIT_RANGES: wrong }), ConfigurationError, wrong);
  }
});
