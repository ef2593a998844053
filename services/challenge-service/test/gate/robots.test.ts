// Robots by the verified name of their address: names of a real name server, which strangers cannot make.

import t, { type Test } from 'tap';
import { networkOf } from '../../src/gate/gate-passes.js';
import { createKnownRobots } from '../../src/gate/known-robots.js';
import { createRobotNames, ROBOT_NAME_BOUNDS } from '../../src/gate/robot-names.js';
import { systemResolver } from '../../src/gate/system-resolver.js';
import { startNameServer, type Zone } from './name-server.js';

const ROBOT = '66.249.66.1';
const ROBOT_V6 = '2001:4860:4801:10::1';
const arpa = (address: string) => `${address.split('.').reverse().join('.')}.in-addr.arpa`;
const ZONE: Zone = {
  [arpa(ROBOT)]: ['crawl-66-249-66-1.googlebot.com'],
  'crawl-66-249-66-1.googlebot.com': [ROBOT, ROBOT_V6],
  '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.0.0.1.0.8.4.0.6.8.4.1.0.0.2.ip6.arpa': [
    'Crawl-66-249-66-1.GoogleBot.com',
  ],
  // A stranger decides about the names of its own addresses, but not about the addresses of others' names.
  [arpa('198.51.100.1')]: ['crawl-66-249-66-1.googlebot.com'],
  [arpa('198.51.100.2')]: ['crawl.googlebot.com.evil.example', 'evilgooglebot.com'],
  'crawl.googlebot.com.evil.example': ['198.51.100.2'],
  'evilgooglebot.com': ['198.51.100.2'],
  [arpa('198.51.100.3')]: 'silent',
  [arpa('198.51.100.4')]: ['slow.googlebot.com'],
  'slow.googlebot.com': 'silent',
};

async function openRobots(t: Test, { timeoutMs = 300, ...bounds }: Partial<typeof ROBOT_NAME_BOUNDS> = {}) {
  const server = await startNameServer(t, ZONE);
  const time = { nowMs: 0 };
  const namesOf = createRobotNames({
    ...{ ...ROBOT_NAME_BOUNDS, ...bounds, timeoutMs },
    resolver: systemResolver([server.address]),
    domains: ['googlebot.com'],
    clock: () => time.nowMs,
    networkOf: (address) => networkOf(address, { ipv4: 24, ipv6: 48 }),
  });
  const robotOf = createKnownRobots(
    [
      { name: 'google', agent: 'Googlebot', hosts: ['googlebot.com'] },
      { name: 'bing', agent: 'bingbot', addresses: ['157.55.39.0/24', '2620:1ec::/32'] },
    ],
    namesOf,
  );
  const find = (address: string, userAgent = 'Mozilla/5.0 (compatible; Googlebot/2.1)') =>
    robotOf({ address, userAgent });
  return { server, time, find };
}

t.test('a name that leads to an address and back is believed, any other is not', async (t) => {
  const { server, find } = await openRobots(t);
  t.equal(await find(ROBOT), 'google');
  t.equal(await find(ROBOT_V6), 'google');
  for (const last of [1, 2, 9]) t.equal(await find(`198.51.100.${last}`), null, `198.51.100.${last}`);
  t.notOk(
    server.asked.some((name) => name.includes('evil')),
    'names elsewhere are not looked up',
  );
  t.equal(await find('unknown'), null);
});

t.test('who does not claim to be a robot is not looked up; a range needs no look-up', async (t) => {
  const { server, find } = await openRobots(t);
  t.equal(await find(ROBOT, 'Mozilla/5.0 Firefox/140.0'), null);
  t.equal(await find('157.55.39.7', 'bingbot/2.0'), 'bing');
  t.equal(await find('2620:1ec::7', 'BingBot/2.0'), 'bing');
  t.equal(await find('157.55.40.7', 'bingbot/2.0'), null);
  t.strictSame(server.asked, []);
});

t.test('an answer is remembered for an hour, and many at once ask once', async (t) => {
  const { server, time, find } = await openRobots(t);
  t.strictSame(await Promise.all(Array.from({ length: 20 }, () => find(ROBOT))), Array(20).fill('google'));
  t.equal(server.asked.length, 2);
  time.nowMs = 3_599_000;
  t.equal(await find(ROBOT), 'google');
  t.equal(server.asked.length, 2);
  time.nowMs = 3_601_000;
  t.equal(await find(ROBOT), 'google');
  t.equal(server.asked.length, 4);
});

t.test(
  'a name server that does not answer is waited for no longer than the limit, and not asked again at once',
  async (t) => {
    const { server, time, find } = await openRobots(t, { timeoutMs: 100 });
    for (const address of ['198.51.100.3', '198.51.100.4']) {
      t.equal(await find(address), null);
      const asked = server.asked.length;
      t.equal(await find(address), null);
      t.equal(server.asked.length, asked);
    }
    const asked = server.asked.length;
    time.nowMs = 61_000;
    await find('198.51.100.3');
    t.ok(server.asked.length > asked, 'but after a minute');
  },
);

t.test('no more look-ups run at once than may, and those beyond are not remembered', async (t) => {
  const { find } = await openRobots(t, { mostAtOnce: 1, timeoutMs: 100 });
  const waiting = find('198.51.100.3');
  t.equal(await find(ROBOT), null);
  t.equal(await waiting, null);
  t.equal(await find(ROBOT), 'google');
});

t.test('the addresses of one network do not take the look-ups of others', async (t) => {
  const { find } = await openRobots(t, { mostOfNetwork: 1, timeoutMs: 100 });
  const waiting = find('198.51.100.3');
  t.equal(await find('198.51.100.1'), null, 'refused for now');
  t.equal(await find(ROBOT), 'google');
  t.equal(await find(ROBOT_V6), 'google');
  t.equal(await waiting, null);
});
