// The pure rule, the Redis script and the embedded store give the same verdicts for any history.

import { embeddedStore, redisStore } from '@tollgate/shared/test/stores.js';
import fc from 'fast-check';
import t from 'tap';
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
import { DAY, HOUR, RULES } from './session-rules.js';

// Time moves in multiples of this, none of which comes within four seconds before a limit of the rules, so that
// the milliseconds a test takes decide nothing.
const TICK_MS = 11_000;
const MAX_AGE_MS = 3 * DAY;

type Step =
  | {
      readonly kind: 'start';
      readonly sid: string;
      readonly endSid?: string;
      readonly brief?: boolean;
      readonly forgets?: boolean;
    }
  | { readonly kind: 'rotate'; readonly sid: string; readonly behind: number }
  | { readonly kind: 'prove'; readonly sid: string; readonly behind: number }
  | { readonly kind: 'end'; readonly sid: string }
  | { readonly kind: 'age'; readonly ticks: number };

const sid = fc.constantFrom('a', 'a', 'b', 'b', 'c');
const behind = fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 1, 1, 2, -1, -3);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('start'), sid, brief: fc.boolean(), forgets: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('start'), sid, endSid: sid }) },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('rotate'), sid, behind }) },
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

/** One session dies while another lives: rare among random histories. */
const EXPIRING: [RandomRules, Step[]] = [
  { windowMs: 30_000, recoveries: 4, refreshTtlMs: DAY, notRememberedTtlMs: DAY },
  [
    { kind: 'start', sid: 'b', brief: true },
    { kind: 'age', ticks: 300 },
    { kind: 'rotate', sid: 'b', behind: 0 },
    { kind: 'rotate', sid: 'b', behind: 0 },
  ],
];

/** The sessions of one user as the pure rule alone keeps them, under a clock that only `age` moves. */
function modelSessions() {
  const sessions = new Map<string, SessionRecord>();
  let nowMs = 1_700_000_000_000;
  // A store forgets a user whose sessions are all dead.
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
      attributes: SessionAttributes,
    ): string[] {
      for (const [other, { expiresAtMs }] of sessions) if (expiresAtMs <= nowMs) sessions.delete(other);
      if (endSid !== undefined && endSid !== id) sessions.delete(endSid);
      if (!sessions.has(id)) sessions.set(id, newSession('', nowMs, given, attributes));
      const others = [...sessions].filter(([other]) => other !== id);
      const [oldest] = others.sort(([, a], [, b]) => a.lastUsedAtMs - b.lastUsedAtMs);
      if (oldest === undefined || sessions.size <= given.maxSessions) return [];
      sessions.delete(oldest[0]);
      return [oldest[0]];
    },
    rotate(id: string, generation: number, given: typeof RULES) {
      forget();
      const { verdict, next } = decideRotation(sessions.get(id), generation, nowMs, given);
      if (next === undefined) sessions.delete(id);
      else sessions.set(id, next);
      return { outcome: verdict, ...(next && { generation: next.generation }) };
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

function withoutTimes(verdict: RotationVerdict) {
  return 'generation' in verdict
    ? { outcome: verdict.outcome, generation: verdict.generation }
    : { outcome: verdict.outcome };
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
                // A brief session dies while others live, which is what makes a refresh of it "expired".
                const rulesNow = now.brief ? { ...given, refreshTtlMs: 104_000 } : given;
                // No two sessions are last used in the same millisecond.
                model.age(TICK_MS);
                await age(TICK_MS);
                // The user agent looks like the attribute, and is none.
                const attributes = now.forgets ? { amr: 'hwk', ...NOT_REMEMBERED } : {};
                const userAgent = 'a browser remember=0 x';
                const ref = { uid: user, sid: now.sid, ...(now.endSid && { endSid: now.endSid }) };
                const name = { ...ref, userAgent, attributes };
                await same(
                  model.start(now.sid, now.endSid, rulesNow, attributes),
                  async (sessions) => (await sessions.start(name, rulesNow)).evicted,
                  now,
                );
                break;
              }
              case 'rotate': {
                model.age(TICK_MS);
                await age(TICK_MS);
                const generation = Math.max(1, model.generation(now.sid) - now.behind);
                const expected = model.rotate(now.sid, generation, given);
                seen.set(expected.outcome, (seen.get(expected.outcome) ?? 0) + 1);
                await same<object>(
                  expected,
                  async (sessions) =>
                    withoutTimes(await sessions.rotate({ uid: user, sid: now.sid, generation }, given)),
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
      { numRuns: 120, examples: [EXPIRING] },
    );
    for (const outcome of [
      'current',
      'rotated',
      'recovered',
      'rolled_forward',
      'revoked',
      'expired',
      'reuse',
    ]) {
      t.ok((seen.get(outcome) ?? 0) > 0, `${outcome} came up ${seen.get(outcome)} times`);
    }
  },
);
