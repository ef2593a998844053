// Scope tickets: valid ones are read, all others ignored.

import { createCipheriv, type KeyObject } from 'node:crypto';
import { ACCOUNT, ring } from '@tollgate/test-support/issuing.js';
import fc from 'fast-check';
import t from 'tap';
import { presetMark } from '../../../src/challenges/attempts/demand.js';
import { accountPseudonym } from '../../../src/challenges/attempts/pseudonyms.js';
import { openTicket, sealTicket } from '../../../src/challenges/attempts/scope-ticket.js';
import { openKeyRing } from '../../../src/crypto/key-ring.js';

const NOW_MS = 1_800_000_000_000;
const account = accountPseudonym(ring.current, 'tests', ACCOUNT);
const ticket = sealTicket(ring.current, account, NOW_MS + 900_000);

t.test('a ticket names its account until it expires', async (t) => {
  const anyAccount = fc.stringMatching(/^[0-9a-f]{32}$/);
  fc.assert(
    fc.property(anyAccount, fc.nat(2 ** 31), fc.integer({ min: 1, max: 86_400 }), (name, nowS, lifeS) => {
      const nowMs = nowS * 1000 + 321;
      const sealed = sealTicket(ring.current, name, nowMs + lifeS * 1000);
      const scope = { keyId: ring.current.id, account: name };
      t.strictSame(openTicket(ring, sealed, nowMs), { scope, demand: null });
      t.strictSame(openTicket(ring, sealed, nowMs + lifeS * 1000 - 1)?.scope, scope, 'its whole life');
      t.equal(openTicket(ring, sealed, nowMs + lifeS * 1000 + 1000), null);
    }),
    { numRuns: 50 },
  );
});

t.test('a ticket is short, opaque and of the same form for every account', async (t) => {
  t.match(ticket, /^[A-Za-z0-9_-]{74}$/);
  t.ok(ticket.length <= 128);
  t.notMatch(Buffer.from(ticket, 'base64url').toString('latin1'), /someone|example/);
});

t.test(
  "a ticket does not reveal the account's pseudonym: it is encrypted, and different each time",
  async (t) => {
    const tickets = Array.from({ length: 50 }, () => sealTicket(ring.current, account, NOW_MS + 900_000));
    t.equal(new Set(tickets).size, tickets.length);
    t.equal(new Set(tickets.map(({ length }) => length)).size, 1);
    for (const each of tickets) {
      const bytes = Buffer.from(each, 'base64url');
      t.equal(bytes.indexOf(Buffer.from(account, 'hex')), -1, 'the store names the account otherwise');
    }
  },
);

t.test('a ticket carries the requirements of a form, with or without an account', async (t) => {
  const anyDemand = fc.record(
    {
      bits: fc.integer({ min: 0, max: 24 }),
      algorithms: fc.constantFrom(null, ['sha256'], ['hashwx-1'], ['sha256', 'hashwx-1']),
      preset: fc.constantFrom(null, presetMark('large'), presetMark('calm')),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(anyDemand, fc.boolean(), (demand, hasAccount) => {
      const sealed = sealTicket(ring.current, hasAccount ? account : undefined, NOW_MS + 1000, demand);
      t.match(sealed, /^[A-Za-z0-9_-]{82}$/);
      const scope = hasAccount ? { keyId: ring.current.id, account } : null;
      t.strictSame(openTicket(ring, sealed, NOW_MS), { scope, demand });
      t.equal(openTicket(ring, sealed, NOW_MS + 1000), null);
      const bytes = Buffer.from(sealed, 'base64url');
      for (const at of [0, 20, bytes.length - 17]) {
        const forged = Buffer.from(bytes);
        forged[at]! ^= 1;
        t.equal(openTicket(ring, forged.toString('base64url'), NOW_MS), null);
      }
    }),
    { numRuns: 30 },
  );
});

t.test('an expired ticket is ignored', async (t) => {
  t.not(openTicket(ring, ticket, NOW_MS + 899_999), null);
  t.equal(openTicket(ring, ticket, NOW_MS + 900_000), null);
});

t.test('a forged ticket is ignored: any bit changed', async (t) => {
  const bytes = Buffer.from(ticket, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const forged = Buffer.from(bytes);
    forged[bit >> 3]! ^= 1 << (bit & 7);
    t.equal(openTicket(ring, forged.toString('base64url'), NOW_MS), null, `bit ${bit}`);
  }
});

t.test('a forged ticket is ignored: sealed with the wrong key or for another use', async (t) => {
  const bytes = Buffer.from(ticket, 'base64url');
  const [head, nonce] = [bytes.subarray(0, 5), bytes.subarray(5, 17)];
  const body = Buffer.concat([Buffer.from('0000ffffffff', 'hex'), Buffer.from(account, 'hex')]);
  const sealWith = (key: KeyObject, bound: Buffer) => {
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    cipher.setAAD(bound);
    const sealed = Buffer.concat([cipher.update(body), cipher.final()]);
    return Buffer.concat([head, nonce, sealed, cipher.getAuthTag()]).toString('base64url');
  };
  t.not(openTicket(ring, sealWith(ring.current.derive('tollgate scope ticket'), head), NOW_MS), null);
  for (const purpose of ['tollgate account', 'tollgate address', 'tollgate access token']) {
    t.equal(openTicket(ring, sealWith(ring.current.derive(purpose), head), NOW_MS), null);
  }
  const unbound = sealWith(ring.current.derive('tollgate scope ticket'), Buffer.alloc(0));
  t.equal(openTicket(ring, unbound, NOW_MS), null, 'bound to its version and key id');
});

t.test('a ticket with a truncated tag is ignored, and one that is shorter still', async (t) => {
  const bytes = Buffer.from(ticket, 'base64url');
  for (let length = 0; length < bytes.length; length++) {
    t.equal(
      openTicket(ring, bytes.subarray(0, length).toString('base64url'), NOW_MS),
      null,
      `${length} bytes`,
    );
  }
});

t.test('a foreign ticket is ignored: of another secret, even with the same key id', async (t) => {
  const other = openKeyRing('challenge-secret-of-somebody-else-1');
  const foreign = sealTicket(other.current, account, NOW_MS + 900_000);
  t.equal(openTicket(ring, foreign, NOW_MS), null);
  const posing = sealTicket({ ...other.current, id: ring.current.id }, account, NOW_MS + 900_000);
  t.equal(openTicket(ring, posing, NOW_MS), null);
});

t.test(
  'a ticket stays valid during the rollout of a new secret, and not after removal of the old one',
  async (t) => {
    const [old, young] = ['challenge-secret-of-these-tests-01', 'challenge-secret-of-these-tests-02'];
    const scope = { keyId: ring.current.id, account };
    t.strictSame(openTicket(openKeyRing(`${old},${young}`), ticket, NOW_MS)?.scope, scope);
    t.strictSame(openTicket(openKeyRing(`${young},${old}`), ticket, NOW_MS)?.scope, scope);
    t.equal(openTicket(openKeyRing(young), ticket, NOW_MS), null);
  },
);

t.test('an overlong, repeated or misspelt ticket is ignored', async (t) => {
  for (const value of [
    undefined,
    null,
    '',
    7,
    {},
    [ticket],
    [ticket, ticket],
    ticket + ticket,
    `${ticket}=`,
    `${ticket} `,
    ` ${ticket}`,
    ticket.slice(1),
    `${ticket}A`,
    `${ticket.slice(0, -1)}\u00e9`,
    ticket.slice(0, -1),
    ticket.replace(/.$/, '+'),
    'a'.repeat(58),
    'a'.repeat(74),
    'a'.repeat(128),
    'a'.repeat(1_000_000),
    '\0'.repeat(74),
  ]) {
    t.equal(openTicket(ring, value, NOW_MS), null);
  }
  fc.assert(fc.property(fc.anything(), (value) => openTicket(ring, value, NOW_MS) === null));
});

t.test('another spelling of the same bytes is not a ticket', async (t) => {
  // The last character has bits that base64url does not use.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const bytes = Buffer.from(ticket, 'base64url');
  const spellings = [...alphabet]
    .map((last) => ticket.slice(0, -1) + last)
    .filter((text) => text !== ticket && Buffer.from(text, 'base64url').equals(bytes));
  t.ok(spellings.length > 0, 'there are such spellings');
  for (const text of spellings) t.equal(openTicket(ring, text, NOW_MS), null, text);
});
