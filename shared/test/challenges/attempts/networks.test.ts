// IPv6 networks: the 700 /64 networks of one customer filled a store with challenges.

import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import {
  addressPseudonyms,
  normaliseAddress,
  slotTag,
  widerNetworks,
} from '../../../src/challenges/attempts/pseudonyms.js';
import { challengesOn, effortIssue, imageIssue, MINUTE_MS, powIssue, ring } from '../fixtures.js';

const namesOf = (ip: string) => addressPseudonyms(ring.current, normaliseAddress(ip) ?? '');
/** The nth /64 of a /56, and the nth /56 of a /48. */
const inside56 = (n: number) => `2001:db8:1:${(0x1200 + n).toString(16)}::7`;
const inside48 = (n: number) => `2001:db8:1:${(n << 8).toString(16)}::7`;

t.test('an address has its /56 and its /48 network; all share a slot', async (t) => {
  t.strictSame(widerNetworks(normaliseAddress('2001:db8:1:12ff::1') ?? ''), [
    '2001:db8:1:1200::/56',
    '2001:db8:1::/48',
  ]);
  t.strictSame(widerNetworks('203.0.113.7'), [], 'an IPv4 address has none');
  t.strictSame(widerNetworks('unknown'), []);
  const [one, other, stranger] = [namesOf(inside56(1)), namesOf(inside48(9)), namesOf('2001:db8:2::1')];
  t.not(one.address, other.address);
  t.not(one.networks[0], other.networks[0]);
  t.equal(one.networks[1], other.networks[1]);
  t.not(one.networks[1], stranger.networks[1]);
  const tags = [one.address, other.address, ...one.networks, ...other.networks].map(slotTag);
  t.equal(new Set(tags).size, 1);
  for (const name of [one.address, ...one.networks]) t.match(name, /^[0-9a-f]{32}$/);
});

t.test('more addresses give a customer no more challenges', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const limit = { max: 3, windowMs: MINUTE_MS, networkMax: [5, 8] } as const;
    const kinds = {
      work: (ip: string) => challenges.issuePow(powIssue({ ...asked(ip), limit })),
      image: (ip: string) => challenges.issueImage(imageIssue({ ...asked(ip), limit })),
    };
    for (const [what, issue] of Object.entries(kinds)) {
      const allowed = async (ips: string[]) => {
        const answers = [];
        for (const ip of ips) answers.push(await issue(ip));
        return answers.map((answer) => answer.allowed);
      };
      const first = await allowed([1, 1, 1, 1].map(inside56));
      t.strictSame(first, [true, true, true, false], `${what}: the address itself`);
      t.strictSame(await allowed([2, 3, 4, 5].map(inside56)), [true, true, false, false], `${what}: its /56`);
      const wider = await allowed([1, 2, 3, 4].map((n) => inside48(n)));
      t.strictSame(wider, [true, true, true, false], `${what}: its /48, without what its /56 refused`);
      t.strictSame(await allowed(['2001:db8:2::1', '203.0.113.7']), [true, true], `${what}: nobody else`);
      const refused = await issue(inside48(9));
      t.ok(refused.limit.count > limit.max && refused.limit.ttlMs > 0, `${what}: the answer says until when`);
    }
  });
});

t.test(
  'effort counts towards the image limit, and raises the price of its address as work does',
  async (t) => {
    await eachStore(t, async (t, { store }) => {
      const challenges = challengesOn(store);
      const terms = { floor: 16, ceiling: 24, failureStep: 2, volumeStep: 2, volumeEvery: 2 };
      const bits = [];
      for (let n = 0; n < 6; n++) {
        const issued = await challenges.issueEffort(effortIssue({ ...asked('203.0.113.9'), terms }));
        if (issued.allowed) bits.push(issued.difficulty);
      }
      t.strictSame(
        bits,
        [16, 18, 18, 20, 20, 22].map((price) => Math.max(price + 4, 22) - 4),
      );
      const work = await challenges.issuePow(powIssue({ ...asked('203.0.113.9'), terms }));
      t.match(work, { difficulty: 22 }, 'one count for both');

      const limit = { max: 1, windowMs: MINUTE_MS };
      const elsewhere = asked('203.0.113.10');
      t.equal((await challenges.issueImage(imageIssue({ ...elsewhere, limit }))).allowed, true);
      t.equal((await challenges.issueEffort(effortIssue({ ...elsewhere, limit }))).allowed, false);
    });
  },
);

t.test('effort without a ticket costs the price remembered for its address, as work does', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const client = asked('203.0.113.11');
    await challenges.rememberPrice(client.address, 22, MINUTE_MS);
    const issued = (hasTicket: boolean) => challenges.issueEffort(effortIssue({ ...client, hasTicket }));
    t.match(await issued(false), { difficulty: 22 });
    t.match(await issued(true), { difficulty: 18 });
  });
});

t.test('the lifetime of effort follows its price', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const terms = { floor: 16, ceiling: 24, failureStep: 2, volumeStep: 0, volumeEvery: 20 };
    for (const [failures, parts, seconds] of [
      [0, 18, 120],
      [2, 20, 120],
      [4, 24, 1053],
      [9, 24, 1053],
    ] as const) {
      const issued = await challenges.issueEffort(effortIssue({ terms, failures }));
      t.match(issued, { difficulty: parts, lifetimeSeconds: seconds }, `${failures} failures`);
    }
  });
});

/** An address as passed to the store. */
function asked(ip: string) {
  const { address, networks } = namesOf(ip);
  return { address: address, networks };
}
