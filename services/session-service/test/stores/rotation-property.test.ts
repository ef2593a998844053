// The pure rule, the Redis script and the embedded store give the same verdicts for any history.

import { embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import fc from 'fast-check';
import t from 'tap';
import {
  bindingKindOf,
  bindingOf,
  bindToProof,
  decideRegistration,
  type PresentedBinding,
} from '../../src/domain/binding/binding-rule.js';
import { decideRotation } from '../../src/domain/rotation.js';
import {
  NOT_REMEMBERED,
  type SessionAttributes,
  type SessionRecord,
  type SessionRules,
} from '../../src/domain/session-record.js';
import { newSession } from '../../src/domain/session-set.js';
import { openSessionStore } from '../../src/stores/open-session-store.js';
import type { RotationVerdict, SessionStore } from '../../src/stores/session-store.js';
import { DAY, HOUR, RULES } from '../support/session-rules.js';

// The time step. No multiple falls within the four seconds before a time limit, so that a test's duration changes no
// verdict.
const TICK_MS = 11_000;
const MAX_AGE_MS = 3 * DAY;
// No two sessions have the same last use in milliseconds.
const SOON_MS = 5;

type Step =
  | {
      readonly kind: 'start';
      readonly sid: string;
      readonly endSid?: string;
      readonly brief?: boolean;
      readonly forgets?: boolean;
      readonly key?: Key | undefined;
    }
  | {
      readonly kind: 'rotate';
      readonly sid: string;
      readonly behind: number;
      readonly binding: PresentedBinding;
      /** True within the grace period after a registration, in which the key is not required. */
      readonly soon?: boolean;
    }
  | { readonly kind: 'bind'; readonly sid: string; readonly key: Key }
  | { readonly kind: 'prove'; readonly sid: string; readonly behind: number }
  | { readonly kind: 'end'; readonly sid: string }
  | { readonly kind: 'age'; readonly ticks: number };

type Key = { readonly thumbprint: string; readonly compact: string };
const KEYS: readonly Key[] = ['k', 'l'].map((name) => ({ thumbprint: name, compact: `EC.${name}.${name}` }));
const key = fc.constantFrom(...KEYS);
const UNBOUND: PresentedBinding = { policy: 'offer' };
const binding: fc.Arbitrary<PresentedBinding> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(UNBOUND) },
  {
    weight: 4,
    arbitrary: fc.record({
      policy: fc.constantFrom('offer' as const, 'offer' as const, 'off' as const, 'require' as const),
      proof: fc.constantFrom(undefined, KEYS[0], KEYS[0], KEYS[1]),
      isFirst: fc.boolean(),
      cookie: fc.constantFrom(undefined, 'k', 'k', 'l'),
    }),
  },
);

const sid = fc.constantFrom('a', 'a', 'b', 'b', 'c');
const behind = fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 1, 1, 2, -1, -3);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('start'), sid, brief: fc.boolean(), forgets: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('start'),
      sid,
      forgets: fc.boolean(),
      key: fc.constantFrom(undefined, ...KEYS),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('bind'), sid, key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('start'), sid, endSid: sid }) },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('rotate'), sid, behind, binding }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('rotate'), sid, behind, binding, soon: fc.constant(true) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('prove'), sid, behind: fc.constantFrom(0, 0, 1, -1) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end'), sid }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('age'),
      ticks: fc.constantFrom(1, 3, 3, 300, 400, 400, 400, 2000, 7854),
    }),
  },
);
type RandomRules = Pick<SessionRules, 'windowMs' | 'recoveries' | 'refreshTtlMs' | 'notRememberedTtlMs'>;
const rules: fc.Arbitrary<RandomRules> = fc.record({
  windowMs: fc.constantFrom(0, 30_000, 30_000),
  recoveries: fc.constantFrom(0, 1, 2, 4),
  refreshTtlMs: fc.constantFrom(2 * HOUR, 2 * HOUR, DAY, 7 * DAY),
  notRememberedTtlMs: fc.constantFrom(2 * HOUR, 3 * HOUR, DAY),
});

/** One session expires while another continues: rare in random histories. */
const EXPIRING: [RandomRules, Step[]] = [
  { windowMs: 30_000, recoveries: 4, refreshTtlMs: DAY, notRememberedTtlMs: DAY },
  [
    { kind: 'start', sid: 'b', brief: true },
    { kind: 'age', ticks: 300 },
    { kind: 'rotate', sid: 'b', behind: 0, binding: UNBOUND },
    { kind: 'rotate', sid: 'b', behind: 0, binding: UNBOUND },
  ],
];

/** The sessions of one user according to the pure rule alone, with a clock that only `age` moves. */
function modelSessions() {
  const sessions = new Map<string, SessionRecord>();
  let nowMs = 1_700_000_000_000;
  // A store forgets a user whose sessions have all expired.
  const forget = () => {
    if ([...sessions.values()].every(({ expiresAtMs }) => expiresAtMs <= nowMs)) sessions.clear();
  };
  return {
    generation: (id: string) => sessions.get(id)?.generation ?? 1,
    age(ms: number) {
      nowMs += ms;
    },
    start(
      id: string,
      endSid: string | undefined,
      given: typeof RULES,
      { attributes, boundTo }: { attributes: SessionAttributes; boundTo: Key | undefined },
    ): string[] {
      for (const [other, { expiresAtMs }] of sessions) if (expiresAtMs <= nowMs) sessions.delete(other);
      if (endSid !== undefined && endSid !== id) sessions.delete(endSid);
      const session = newSession('', nowMs, given, attributes);
      const bound = boundTo === undefined ? session : bindToProof(session, boundTo, nowMs);
      if (!sessions.has(id)) sessions.set(id, bound);
      const others = [...sessions].filter(([other]) => other !== id);
      const [oldest] = others.sort(([, a], [, b]) => a.lastUsedAtMs - b.lastUsedAtMs);
      if (oldest === undefined || sessions.size <= given.maxSessions) return [];
      sessions.delete(oldest[0]);
      return [oldest[0]];
    },
    rotate(id: string, generation: number, given: typeof RULES, presented: PresentedBinding) {
      forget();
      const record = sessions.get(id);
      const { verdict, next } = decideRotation(record, generation, nowMs, given, presented);
      const before = bindingKindOf(record?.attributes ?? {});
      if (verdict === 'binding_required') return { outcome: verdict, kind: before };
      if (next === undefined) sessions.delete(id);
      else sessions.set(id, next);
      if (next === undefined) return { outcome: verdict };
      const isBound = before === 'none' && bindingKindOf(next.attributes) === 'key';
      return { outcome: verdict, generation: next.generation, isBound, ...named(bindingOf(next.attributes)) };
    },
    bind(id: string, presented: Key) {
      forget();
      const registration = decideRegistration(sessions.get(id), presented, nowMs);
      if (registration.outcome === 'bound') sessions.set(id, registration.next);
      return registration.outcome;
    },
    prove(id: string, generation: number) {
      forget();
      const record = sessions.get(id);
      if (record !== undefined && record.used < generation) sessions.set(id, { ...record, used: generation });
    },
    end(id: string) {
      const record = sessions.get(id);
      sessions.delete(id);
      return record !== undefined && record.expiresAtMs > nowMs;
    },
    live: () =>
      [...sessions]
        .filter(([, { expiresAtMs }]) => expiresAtMs > nowMs)
        .map(([id]) => id)
        .sort(),
  };
}

/** A binding without its time. */
function named(found: ReturnType<typeof bindingOf>) {
  if (found === undefined) return {};
  const { boundAtMs: _, ...others } = found;
  return { ...others, before: found.before };
}

function withoutTimes(verdict: RotationVerdict) {
  if (!('generation' in verdict)) return verdict;
  const { outcome, generation, isBound, attributes } = verdict;
  return { outcome, generation, isBound, ...named(bindingOf(attributes)) };
}

t.test(
  'any history gives the same verdicts under the rule, on Redis and on the embedded store',
  async (t) => {
    const places = [await redisStore(t), embeddedStore(t)];
    const stores = places.map(({ store }) => openSessionStore(store));
    const age = async (ms: number) => {
      await Promise.all(places.map((place) => place.age(ms)));
    };
    const same = async <T>(expected: T, ask: (sessions: SessionStore) => Promise<T>, context: unknown) => {
      for (const got of await Promise.all(stores.map(ask))) {
        if (JSON.stringify(got) !== JSON.stringify(expected)) {
          throw new Error(
            `${JSON.stringify(context)}: ${JSON.stringify(got)}, not ${JSON.stringify(expected)}`,
          );
        }
      }
    };

    const seen = new Map<string, number>();
    let uid = 0;
    await fc.assert(
      fc.asyncProperty(
        rules,
        fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }),
        async (chosen, steps) => {
          uid += 1;
          const user = uid;
          const given = { ...RULES, ...chosen, maxAgeMs: MAX_AGE_MS, maxSessions: 2 };
          const model = modelSessions();
          for (const now of [{ kind: 'start', sid: 'a' } as const, ...steps]) {
            switch (now.kind) {
              case 'age':
                model.age(now.ticks * TICK_MS);
                await age(now.ticks * TICK_MS);
                break;
              case 'start': {
                // A brief session expires while others continue, which makes its refresh "expired".
                const rulesNow = now.brief ? { ...given, refreshTtlMs: 104_000 } : given;
                // No two sessions have the same last use in milliseconds.
                model.age(TICK_MS);
                await age(TICK_MS);
                // The user agent resembles the attribute, but is not one.
                const attributes = now.forgets ? { amr: 'hwk', ...NOT_REMEMBERED } : {};
                const userAgent = 'a browser remember=0 x';
                const ref = { uid: user, sid: now.sid, ...(now.endSid && { endSid: now.endSid }) };
                const name = { ...ref, userAgent, attributes };
                await same(
                  model.start(now.sid, now.endSid, rulesNow, { attributes, boundTo: now.key }),
                  async (sessions) => (await sessions.start({ ...name, boundTo: now.key }, rulesNow)).evicted,
                  now,
                );
                break;
              }
              case 'bind': {
                const { sid, key } = now;
                await same(model.bind(sid, key), (sessions) => sessions.bind({ uid: user, sid, key }), now);
                break;
              }
              case 'rotate': {
                const passedMs = now.soon ? SOON_MS : TICK_MS;
                model.age(passedMs);
                await age(passedMs);
                const generation = Math.max(1, model.generation(now.sid) - now.behind);
                const expected = model.rotate(now.sid, generation, given, now.binding);
                seen.set(expected.outcome, (seen.get(expected.outcome) ?? 0) + 1);
                if ('isBound' in expected && expected.isBound)
                  seen.set('bound', (seen.get('bound') ?? 0) + 1);
                await same<object>(
                  expected,
                  async (sessions) =>
                    withoutTimes(
                      await sessions.rotate(
                        { uid: user, sid: now.sid, generation, binding: now.binding },
                        given,
                      ),
                    ),
                  now,
                );
                break;
              }
              case 'prove': {
                const generation = Math.max(1, model.generation(now.sid) - now.behind);
                model.prove(now.sid, generation);
                await Promise.all(
                  stores.map((sessions) => sessions.proveUsed({ uid: user, sid: now.sid, generation })),
                );
                break;
              }
              case 'end':
                await same(model.end(now.sid), (sessions) => sessions.end({ uid: user, sid: now.sid }), now);
                break;
            }
          }
          await same(
            model.live(),
            async (sessions) => (await sessions.list(user)).map((listed) => listed.sid).sort(),
            steps,
          );
          await Promise.all(stores.map((sessions) => sessions.endListed(user, model.live())));
        },
      ),
      { numRuns: 200, examples: [EXPIRING] },
    );
    for (const outcome of [
      'current',
      'rotated',
      'recovered',
      'rolled_forward',
      'revoked',
      'expired',
      'reuse',
      'binding_required',
      'binding_failed',
      'bound',
    ]) {
      t.ok((seen.get(outcome) ?? 0) > 0, `${outcome} came up ${seen.get(outcome)} times`);
    }
  },
);
