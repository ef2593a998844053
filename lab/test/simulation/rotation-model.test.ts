// The model of rotation with binding: its invariants hold, break without the fixes, and the code follows it.

import type { PresentedBinding } from '@tollgate/session-service/domain/binding/binding-rule.js';
import { openSessionStore } from '@tollgate/session-service/stores/open-session-store.js';
import { DAY, RULES, SECOND } from '@tollgate/session-service/test/session-rules.js';
import { userSessionsKey } from '@tollgate/shared/sessions';
import { embeddedStore, redisStore, type StoreUnderTest } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { findViolation, type ModelCall, sampleHistories } from './model.js';

const TICK_MS = 11 * SECOND;
const MODEL_RULES = { ...RULES, refreshTtlMs: 29 * DAY };
const INVARIANTS = ['noHonestSignOut', 'bindingHidesNoReuse', 'usedIsUsed'];

t.test('no history of the rule logs an honest owner out, hides a reuse or forgets a use', async (t) => {
  // The histories replayed below are those of the complete step.
  const run = { samples: 20, steps: 40, seed: 3_040_915, step: 'stepUnproven' };
  const { isViolated, text } = await findViolation('mended', INVARIANTS, run);
  t.notOk(isViolated, text);
});

t.test('without a fix the model finds the fault', async (t) => {
  for (const [instance, invariant, step, seed] of [
    // A thief of the cookie binds the session: the thief's key is required of its owner forever.
    ['anyoneBinds', 'bindingHidesNoReuse', 'step', 0x304],
    // The response to a registration is lost: a cookie that never arrived is required of its owner.
    ['unconfirmed', 'noHonestSignOut', 'ownerSteps', 0xcce],
    // A generation is presented within the window, and the previous one is taken for a lost response.
    ['windowForgets', 'usedIsUsed', 'stepUnproven', 0x51d2],
  ] as const) {
    const run = { samples: 40, steps: 40, seed, step };
    const { isViolated, text } = await findViolation(instance, [invariant], run);
    t.ok(isViolated, `${instance}: ${text}`);
  }
});

t.test('the rule, Redis and the embedded store follow the histories of the model', async (t) => {
  const run = { samples: 40, steps: 40, seed: 3_040_918 };
  const histories = await sampleHistories(tempDir(t), INVARIANTS, run);
  const seen = new Map<string, number>();
  const places = [await redisStore(t), embeddedStore(t)].map(replayOn);
  let uid = 0;
  for (const history of histories) {
    uid += 1;
    const asked: ModelCall[] = [];
    for (const call of history) {
      asked.push(call);
      seen.set(call.outcome, (seen.get(call.outcome) ?? 0) + 1);
      seen.set(call.kind, (seen.get(call.kind) ?? 0) + 1);
      for (const place of places) {
        const got = await place(uid, call);
        if (got !== undefined) t.strictSame(got, expected(call), JSON.stringify(asked));
      }
    }
  }
  t.comment([...seen].map(([name, times]) => `${name} ${times}`).join(', '));
  for (const name of ['current', 'rotated', 'recovered', 'rolled_forward', 'reuse', 'bound', 'fail_over'])
    t.ok((seen.get(name) ?? 0) > 0, `${name} came up ${seen.get(name)} times`);
});

function expected({ kind, outcome, answer }: ModelCall) {
  const isGranted = ['current', 'rotated', 'recovered', 'rolled_forward'].includes(outcome);
  return kind === 'rotate' && isGranted ? { outcome, generation: answer } : { outcome };
}

/** The result of a refresh without a write. */
const READS = new Set(['binding_required', 'revoked']);

const keyNamed = (name: string) => ({ thumbprint: name, compact: `EC.${name}.${name}` });

function bindingOf({ proof, isFirst, cookie }: ModelCall['shown']): PresentedBinding {
  return {
    policy: 'offer',
    proof: proof === '' ? undefined : keyNamed(proof),
    isFirst,
    cookie: cookie === '' ? undefined : cookie,
  };
}

/** Calls a store as the model does. The embedded store uses the rule of the domain, Redis its own. */
function replayOn({ store, age }: StoreUnderTest) {
  const sessions = openSessionStore(store);
  /** The sessions of the user before the last write, and after it. */
  let [before, last]: (string | undefined)[] = [];

  async function read(uid: number): Promise<string | undefined> {
    if (store.kind === 'embedded') return store.read(userSessionsKey(uid));
    return (await store.client.hget(userSessionsKey(uid), 'modelled')) ?? undefined;
  }

  async function restore(uid: number, text: string): Promise<void> {
    if (store.kind === 'redis') await store.client.hset(userSessionsKey(uid), 'modelled', text);
    else
      await store.transact(({ put, nowMs }) => put(userSessionsKey(uid), text, nowMs + MODEL_RULES.maxAgeMs));
  }

  return async (uid: number, call: ModelCall): Promise<object | undefined> => {
    const session = { uid, sid: 'modelled' };
    switch (call.kind) {
      case 'age':
        await age(call.ticks * TICK_MS);
        last = await read(uid);
        return undefined;
      case 'start':
        await sessions.start({ ...session, userAgent: '' }, MODEL_RULES);
        last = await read(uid);
        return undefined;
      case 'fail_over':
        if (before === undefined) throw new Error('no write was lost');
        await restore(uid, before);
        last = before;
        return undefined;
      case 'none':
        return undefined;
    }
    const found = last;
    let answer: object | undefined;
    if (call.kind === 'prove') await sessions.proveUsed({ ...session, generation: call.generation });
    else if (call.kind === 'bind')
      answer = { outcome: await sessions.bind({ ...session, key: keyNamed(call.key) }) };
    else {
      const binding = bindingOf(call.shown);
      const token = { ...session, generation: call.generation, binding };
      const verdict = await sessions.rotate(token, MODEL_RULES);
      const { outcome } = verdict;
      answer = 'generation' in verdict ? { outcome, generation: verdict.generation } : { outcome };
    }
    last = await read(uid);
    const isRead = call.kind === 'rotate' ? READS.has(call.outcome) : found === last;
    if (!isRead) before = found;
    return answer;
  };
}
