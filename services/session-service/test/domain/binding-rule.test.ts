// The rule of device binding, case by case.

import t from 'tap';
import {
  type BindingPolicy,
  decideBinding,
  decideRegistration,
} from '../../src/domain/binding/binding-rule.js';
import { bindingAttributes } from '../../src/domain/binding/session-binding.js';
import { decideRotation } from '../../src/domain/rotation.js';
import { newSession } from '../../src/domain/session-set.js';

const NOW = 1_800_000_000_000;
const RULES = {
  ...{ windowMs: 30_000, recoveries: 2, refreshTtlMs: 86_400_000 },
  ...{ notRememberedTtlMs: 86_400_000, maxAgeMs: 864_000_000 },
};
const keyNamed = (name: string) => ({ thumbprint: name, compact: `EC.${name}.${name}` });
const [MINE, OTHER] = [keyNamed('mine'), keyNamed('other')];

const none = { attributes: {} };
const boundAtMs = NOW - 60_000;
const key = { attributes: bindingAttributes({ kind: 'key', ...MINE, boundAtMs }) };
const dbsc = { attributes: bindingAttributes({ kind: 'dbsc', ...MINE, boundAtMs }) };
const fresh = (before?: string, atMs = NOW - 9_999) => ({
  attributes: bindingAttributes({ kind: 'dbsc', ...MINE, boundAtMs: atMs, before }),
});
const offer = { policy: 'offer' } as const;
const require = { policy: 'require' } as const;

t.test('each row of the table', async (t) => {
  const rows: [string, Parameters<typeof decideBinding>[0], Parameters<typeof decideBinding>[1], string][] = [
    ['unbound, nothing', none, offer, 'pass'],
    ['unbound, nothing, required', none, require, 'binding_required'],
    ['unbound, a proof', none, { ...offer, proof: MINE }, 'bind'],
    ['unbound, a proof, required', none, { ...require, proof: MINE }, 'bind'],
    ['unbound, a bound cookie', none, { ...require, cookie: 'mine' }, 'binding_required'],
    ['a key, its proof', key, { ...offer, proof: MINE }, 'pass'],
    ['a key, nothing', key, offer, 'binding_required'],
    ['a key, a bound cookie', key, { ...offer, cookie: 'mine' }, 'binding_required'],
    ['a key, the proof of another', key, { ...offer, proof: OTHER }, 'binding_failed'],
    ['a browser, its cookie', dbsc, { ...offer, cookie: 'mine' }, 'pass'],
    ['a browser, nothing', dbsc, offer, 'binding_required'],
    ['a browser, the cookie of another key', dbsc, { ...offer, cookie: 'other' }, 'binding_required'],
    ['a browser, a proof alone', dbsc, { ...offer, proof: MINE }, 'binding_required'],
    ['a browser, the proof of another', dbsc, { ...offer, proof: OTHER }, 'binding_required'],
    ['just registered, nothing', fresh(), offer, 'pass'],
    ['just registered, nothing, required', fresh(), require, 'binding_required'],
    ['just registered, a proof, required', fresh(), { ...require, proof: OTHER }, 'pass'],
    ['ten seconds ago, nothing', fresh(undefined, NOW - 10_000), offer, 'binding_required'],
    ['just upgraded, the proof of before', fresh('other'), { ...offer, proof: OTHER }, 'pass'],
    ['just upgraded, nothing', fresh('other'), offer, 'binding_required'],
    ['just upgraded, another proof', fresh('other'), { ...offer, proof: MINE }, 'binding_required'],
    [
      'registered in the future of a clock set back',
      fresh(undefined, NOW + 10_000),
      offer,
      'binding_required',
    ],
  ];
  for (const [what, record, presented, expected] of rows)
    t.equal(decideBinding(record, presented, NOW), expected, what);
  for (const record of [none, key, dbsc, fresh()])
    t.equal(decideBinding(record, { policy: 'off' as BindingPolicy }, NOW), 'pass');
});

t.test('the binding is looked at before the generation, and after the expiry', async (t) => {
  const record = {
    ...newSession('', NOW, RULES, key.attributes),
    generation: 9,
    used: 9,
    rotatedAtMs: NOW - 60_000,
  };
  for (const presented of [1, 8, 9, 10]) {
    t.strictSame(decideRotation(record, presented, NOW, RULES, offer), {
      verdict: 'binding_required',
      next: record,
    });
    t.match(decideRotation(record, presented, NOW, RULES, { ...offer, proof: OTHER }), {
      verdict: 'binding_failed',
      next: undefined,
    });
  }
  t.equal(decideRotation(record, 1, NOW, RULES, { ...offer, proof: MINE }).verdict, 'reuse');
  t.equal(decideRotation(record, 9, record.expiresAtMs, RULES, offer).verdict, 'expired');
});

t.test('a proof binds in the step of the refresh', async (t) => {
  const { verdict, next } = decideRotation(newSession('', NOW, RULES), 1, NOW, RULES, {
    ...offer,
    proof: MINE,
  });
  t.equal(verdict, 'rotated');
  t.strictSame(next?.attributes, bindingAttributes({ kind: 'key', ...MINE, boundAtMs: NOW }));
});

t.test('a registration binds once: from nothing or from a key, and never to a second key', async (t) => {
  const record = (attributes: Readonly<Record<string, string>>) => newSession('', NOW, RULES, attributes);
  const registered = decideRegistration(record({ amr: 'pwd' }), MINE, NOW + 5);
  t.match(registered, { outcome: 'bound' });
  if (registered.outcome !== 'bound') return;
  const { lastUsedAtMs, expiresAtMs, attributes } = registered.next;
  t.strictSame([lastUsedAtMs, expiresAtMs], [NOW, NOW + RULES.refreshTtlMs], 'it counts as no use');
  t.strictSame(attributes, {
    amr: 'pwd',
    ...bindingAttributes({ kind: 'dbsc', ...MINE, boundAtMs: NOW + 5 }),
  });
  t.match(decideRegistration(record(key.attributes), OTHER, NOW), {
    outcome: 'bound',
    next: { attributes: { binding: 'dbsc', binding_id: 'other', bound_before: 'mine' } },
  });
  t.strictSame(decideRegistration(registered.next, MINE, NOW), { outcome: 'known' });
  t.strictSame(decideRegistration(registered.next, OTHER, NOW), { outcome: 'conflict' });
  t.strictSame(decideRegistration(undefined, MINE, NOW), { outcome: 'revoked' });
  t.strictSame(decideRegistration(record({}), MINE, NOW + RULES.refreshTtlMs), { outcome: 'expired' });
});
