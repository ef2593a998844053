// The device binding rule, case by case.

import { newDevice } from '@tollgate/test-support/device-key.js';
import t from 'tap';
import {
  type BindingPolicy,
  bindingAttributes,
  bindingKeyOf,
  bindingKindOf,
  bindRecord,
  decideBinding,
  decideRegistration,
} from '../../src/domain/binding/binding-rule.js';
import { decideRotation } from '../../src/domain/rotation.js';
import { newSession } from '../../src/domain/session-set.js';

const NOW = 1_800_000_000_000;
const RULES = {
  windowMs: 30_000,
  recoveries: 2,
  refreshTtlMs: 86_400_000,
  notRememberedTtlMs: 86_400_000,
  maxAgeMs: 864_000_000,
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
const pending = (before?: string) => ({
  attributes: bindingAttributes({ kind: 'dbsc', ...MINE, boundAtMs, before, isPending: true }),
});
const offer = { policy: 'offer' } as const;
const require = { policy: 'require' } as const;

t.test('each row in the table', async (t) => {
  const rows: [string, Parameters<typeof decideBinding>[0], Parameters<typeof decideBinding>[1], string][] = [
    ['unbound, nothing', none, offer, 'pass'],
    ['unbound, nothing, required', none, require, 'binding_required'],
    ['unbound, the proof of the sign-in', none, { ...offer, proof: MINE, isFirst: true }, 'bind'],
    ['unbound, the proof of the sign-in, required', none, { ...require, proof: MINE, isFirst: true }, 'bind'],
    ['unbound, a later proof', none, { ...offer, proof: MINE }, 'pass'],
    ['unbound, a later proof, required', none, { ...require, proof: MINE }, 'binding_required'],
    ['unbound, no proof', none, { ...offer, isFirst: true }, 'pass'],
    ['unbound, a bound cookie', none, { ...require, cookie: 'mine' }, 'binding_required'],
    ['a key, its proof', key, { ...offer, proof: MINE }, 'pass'],
    ['a key, nothing', key, offer, 'binding_required'],
    ['a key, a bound cookie', key, { ...offer, cookie: 'mine' }, 'binding_required'],
    ['a key, the proof of another', key, { ...offer, proof: OTHER }, 'binding_failed'],
    ['a key, its proof of the sign-in', key, { ...offer, proof: MINE, isFirst: true }, 'pass'],
    ['a key, that of another', key, { ...offer, proof: OTHER, isFirst: true }, 'binding_failed'],
    ['a browser, its cookie', dbsc, { ...offer, cookie: 'mine' }, 'pass'],
    ['a browser, nothing', dbsc, offer, 'binding_required'],
    ['a browser, the cookie of another key', dbsc, { ...offer, cookie: 'other' }, 'binding_required'],
    ['a browser, a proof alone', dbsc, { ...offer, proof: MINE }, 'binding_required'],
    ['a browser, the proof of another', dbsc, { ...offer, proof: OTHER }, 'binding_required'],
    ['just registered, nothing', fresh(), offer, 'pass'],
    ['just registered, nothing, required', fresh(), require, 'binding_required'],
    [
      'just registered, the proof of the sign-in, required',
      fresh(),
      { ...require, proof: OTHER, isFirst: true },
      'bind',
    ],
    ['just registered, a later proof, required', fresh(), { ...require, proof: OTHER }, 'binding_required'],
    ['ten seconds ago, nothing', fresh(undefined, NOW - 10_000), offer, 'binding_required'],
    ['just upgraded, the proof of before', fresh('other'), { ...offer, proof: OTHER }, 'pass'],
    ['just upgraded, nothing', fresh('other'), offer, 'binding_required'],
    ['just upgraded, another proof', fresh('other'), { ...offer, proof: MINE }, 'binding_required'],
    ['registered, and no cookie seen yet: its cookie', pending(), { ...offer, cookie: 'mine' }, 'confirm'],
    ['no cookie seen yet: nothing', pending(), offer, 'pass'],
    ['no cookie seen yet: nothing, required', pending(), require, 'binding_required'],
    [
      'no cookie seen yet: the proof of the sign-in',
      pending(),
      { ...offer, proof: OTHER, isFirst: true },
      'bind',
    ],
    ['no cookie seen yet: a later proof', pending(), { ...offer, proof: OTHER }, 'pass'],
    ['no cookie seen yet: that of another', pending(), { ...require, cookie: 'other' }, 'binding_required'],
    ['upgraded, no cookie seen yet: its cookie', pending('other'), { ...offer, cookie: 'mine' }, 'confirm'],
    [
      'upgraded, no cookie seen yet: the proof of before',
      pending('other'),
      { ...offer, proof: OTHER },
      'pass',
    ],
    ['upgraded, no cookie seen yet: nothing', pending('other'), offer, 'binding_required'],
    [
      'upgraded, no cookie seen yet: another proof',
      pending('other'),
      { ...offer, proof: MINE, isFirst: true },
      'binding_required',
    ],
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

t.test('binding attributes and their key', async (t) => {
  const attributes = { binding: 'key', binding_id: 'mine', binding_key: 'EC.mine.mine', bound_at: '5' };
  const binding = { kind: 'key', ...MINE, boundAtMs: 5 } as const;
  t.strictSame(bindingAttributes(binding), attributes);
  t.strictSame(bindingAttributes({ ...binding, before: 'other', isPending: true }), {
    ...attributes,
    bound_before: 'other',
    bound_pending: '1',
  });
  t.equal(bindingKindOf(pending().attributes), 'none');
  t.equal(bindingKindOf({}), 'none');
  t.equal(bindingKeyOf(binding), undefined, 'no point of the curve');
  const { jwk } = newDevice();
  const compact = `EC.${jwk.x}.${jwk.y}`;
  t.equal(bindingKeyOf({ ...binding, compact })?.compact, compact);
});

t.test('a verdict that binds nothing leaves the record unchanged', async (t) => {
  const record = newSession('', NOW, RULES, key.attributes);
  t.equal(bindRecord(record, 'pass', { ...offer, proof: MINE }, NOW), record);
  t.equal(bindRecord(record, 'bind', offer, NOW), record, 'there is no proof');
});

t.test('the binding is checked before the generation, and after the expiry', async (t) => {
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

t.test("the login's proof binds in the refresh step, a later proof does not", async (t) => {
  const session = newSession('', NOW, RULES);
  const presented = { ...offer, proof: MINE };
  const { verdict, next } = decideRotation(session, 1, NOW, RULES, { ...presented, isFirst: true });
  t.equal(verdict, 'rotated');
  t.strictSame(next?.attributes, bindingAttributes({ kind: 'key', ...MINE, boundAtMs: NOW }));
  t.match(decideRotation(session, 1, NOW, RULES, presented), {
    verdict: 'rotated',
    next: { attributes: {} },
  });
});

t.test('a binding never hides reuse: the binding step still ends a session for it', async (t) => {
  const session = { ...newSession('', NOW, RULES), generation: 3, used: 3, rotatedAtMs: NOW };
  for (const presented of [1, 2]) {
    const first = { ...offer, proof: MINE, isFirst: true };
    t.equal(decideRotation(session, presented, NOW + 60_000, RULES, first).verdict, 'reuse');
  }
});

t.test('the first refresh with the bound cookie confirms a registration', async (t) => {
  const session = newSession('', NOW, RULES, { amr: 'pwd', ...pending('other').attributes });
  const { next } = decideRotation(session, 1, NOW, RULES, { ...offer, cookie: 'mine' });
  const bound = bindingAttributes({ kind: 'dbsc', ...MINE, boundAtMs, before: 'other' });
  t.strictSame(next?.attributes, { amr: 'pwd', ...bound });
  t.equal(bindingKindOf(session.attributes), 'key', 'until then the key of before is asked for');
  t.equal(bindingKindOf(next?.attributes ?? {}), 'dbsc');
});

t.test('a page that binds beside an unconfirmed registration must prove its key', async (t) => {
  const session = newSession('', NOW, RULES, pending().attributes);
  const first = { ...offer, proof: OTHER, isFirst: true };
  const { next } = decideRotation(session, 1, NOW, RULES, first);
  t.strictSame(next?.attributes, pending('other').attributes);
  t.equal(bindingKindOf(next?.attributes ?? {}), 'key');
});

t.test(
  'a registration binds once: an unbound session or a page key, never a second registered key',
  async (t) => {
    const record = (attributes: Readonly<Record<string, string>>) => newSession('', NOW, RULES, attributes);
    const registered = decideRegistration(record({ amr: 'pwd' }), MINE, NOW + 5);
    t.match(registered, { outcome: 'bound' });
    if (registered.outcome !== 'bound') return;
    const { lastUsedAtMs, expiresAtMs, attributes } = registered.next;
    t.strictSame([lastUsedAtMs, expiresAtMs], [NOW, NOW + RULES.refreshTtlMs], 'it counts as no use');
    t.strictSame(attributes, {
      amr: 'pwd',
      ...bindingAttributes({ kind: 'dbsc', ...MINE, boundAtMs: NOW + 5, isPending: true }),
    });
    t.match(decideRegistration(record(key.attributes), OTHER, NOW), {
      outcome: 'bound',
      next: { attributes: { binding: 'dbsc', binding_id: 'other', bound_before: 'mine' } },
    });
    t.strictSame(decideRegistration(registered.next, MINE, NOW), { outcome: 'known' });
    t.strictSame(decideRegistration(registered.next, OTHER, NOW), { outcome: 'conflict' });
    t.strictSame(decideRegistration(undefined, MINE, NOW), { outcome: 'revoked' });
    t.strictSame(decideRegistration(record({}), MINE, NOW + RULES.refreshTtlMs), { outcome: 'expired' });
  },
);
