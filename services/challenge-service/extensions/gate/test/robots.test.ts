// Robots by the verified name of their address, with names from a real name server that strangers cannot forge.

import t, { type Test } from 'tap';
import { networkOf } from '../gate-passes.js';
import { createKnownRobots } from '../known-robots.js';
import { createRobotNames, ROBOT_NAME_BOUNDS } from '../robot-names.js';
import { systemResolver } from '../system-resolver.js';
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
  // Strangers control the names of their own addresses, but not the addresses of other people's names.
  [arpa('198.51.100.1')]: ['crawl-66-249-66-1.googlebot.com'],
  [arpa('198.51.100.2')]: ['crawl.googlebot.com.evil.example', 'evilgooglebot.com'],
  'crawl.googlebot.com.evil.example': ['198.51.100.2'],
  'evilgooglebot.com': ['198.51.100.2'],
  [arpa('198.51.100.3')]: 'silent',
  [arpa('198.51.100.4')]: ['slow.googlebot.com'],
  'slow.googlebot.com': 'silent',
};

async function openRobots(
  t: Test,
  { timeoutMs = 300, ...bounds }: Partial<typeof ROBOT_NAME_BOUNDS> = {},
  zone: Zone = ZONE,
) {
  const server = await startNameServer(t, zone);
  const time = { nowMs: 0 };
  const namesOf = createRobotNames({
    ...ROBOT_NAME_BOUNDS,
    ...bounds,
    timeoutMs,
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
  const ask = (address: string, userAgent = 'Mozilla/5.0 (compatible; Googlebot/2.1)') =>
    robotOf({ address, userAgent });
  /** The robot's name, null for no robot, or the milliseconds until the next attempt. */
  const find = async (...claim: Parameters<typeof ask>) => {
    const found = await ask(...claim);
    return found.name ?? ('retryMs' in found ? found.retryMs : null);
  };
  return { server, time, find };
}

t.test('a name is trusted only if it resolves back to the address', async (t) => {
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

t.test('an address that claims to be no robot is not looked up; a range needs no lookup', async (t) => {
  const { server, find } = await openRobots(t);
  t.equal(await find(ROBOT, 'Mozilla/5.0 Firefox/140.0'), null);
  t.equal(await find('157.55.39.7', 'bingbot/2.0'), 'bing');
  t.equal(await find('2620:1ec::7', 'BingBot/2.0'), 'bing');
  t.equal(await find('157.55.40.7', 'bingbot/2.0'), null);
  t.strictSame(server.asked, []);
});

t.test('a result is cached for an hour, and parallel requests share one lookup', async (t) => {
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
  'a silent name server is awaited no longer than the time limit, and not queried again at once',
  async (t) => {
    const { server, time, find } = await openRobots(t, { timeoutMs: 100 });
    for (const address of ['198.51.100.3', '198.51.100.4']) {
      t.equal(await find(address), 60_000, 'not known, which is another thing than no robot');
      const asked = server.asked.length;
      t.equal(await find(address), 60_000);
      t.equal(server.asked.length, asked);
    }
    const asked = server.asked.length;
    time.nowMs = 61_000;
    await find('198.51.100.3');
    t.ok(server.asked.length > asked, 'but after a minute');
  },
);

t.test('parallel lookups are limited, and those beyond the limit are not cached', async (t) => {
  const { find } = await openRobots(t, { mostAtOnce: 1, timeoutMs: 100 });
  const waiting = find('198.51.100.3');
  t.equal(await find(ROBOT), 2000);
  t.equal(await waiting, 60_000);
  t.equal(await find(ROBOT), 'google');
});

t.test('addresses of one network do not use up the lookups of others', async (t) => {
  const { find } = await openRobots(t, { mostOfNetwork: 1, timeoutMs: 100 });
  const waiting = find('198.51.100.3');
  t.equal(await find('198.51.100.1'), 2000, 'refused for now');
  t.equal(await find(ROBOT), 'google');
  t.equal(await find(ROBOT_V6), 'google');
  t.equal(await waiting, 60_000);
});

t.test("five networks with a silent name server leave a lookup for another network's robot", async (t) => {
  const silent: Zone = {};
  const attackers = Array.from({ length: 50 }, (_, at) => `100.64.${Math.floor(at / 10)}.${at % 10}`);
  for (const address of attackers) silent[arpa(address)] = 'silent';
  const { server, find } = await openRobots(t, { timeoutMs: 1500 }, { ...ZONE, ...silent });
  const waiting = attackers.map((address) => find(address));
  t.equal(await find(ROBOT), 'google');
  t.equal(await find('100.64.0.99'), 2000, 'the network that has lost a place gets no other one');
  const outcomes = await Promise.all(waiting);
  t.strictSame(outcomes.filter((outcome) => outcome === 2000).length, 1, 'one has given up its place');
  t.ok(server.asked.length <= 52, 'and no more is asked');
});

t.test('fifty networks take all lookups and yield none to another network', async (t) => {
  const silent: Zone = {};
  const attackers = Array.from({ length: 50 }, (_, at) => `100.64.${at}.1`);
  for (const address of attackers) silent[arpa(address)] = 'silent';
  const { find } = await openRobots(t, { timeoutMs: 300 }, { ...ZONE, ...silent });
  const waiting = attackers.map((address) => find(address));
  t.equal(await find(ROBOT), 2000, 'but a robot is told to come back');
  await Promise.all(waiting);
  t.equal(await find(ROBOT), 'google');
});
