// Known devices: their own counters and budget, in the store and on a guarded route.

import { cheap, openDesk, ring } from '@tollgate/test-support/issuing.js';
import { eachKind, eachStore, redisStore, type StoreUnderTest } from '@tollgate/test-support/stores.js';
import fc from 'fast-check';
import Fastify, { type FastifyRequest } from 'fastify';
import t, { type Test } from 'tap';
import type { ChallengeVerifier } from '../../../src/challenges/challenge-verifier.js';
import type { GivenProof, Submission } from '../../../src/challenges/submission.js';
import errorHandler from '../../../src/http/errors/error-handler.js';
import guard from '../../../src/http/guard/challenge-guard.js';
import { pow } from '../../../src/http/guard/guards.js';
import { ACCOUNT, ADDRESS, DECAY_MS, hostOn } from '../../challenges/fixtures.js';

const LAPTOP = { key: 'Device laptop', budget: 3 };
const PHONE = { key: 'Device phone', budget: 3 };

/** Sufficient for any number of failures. */
const EVERYTHING: GivenProof = {
  work: { difficulty: 24, floor: 16, scoped: true, algorithm: 'sha256' },
  image: true,
  isImageStillEnough: () => true,
};
/** Sufficient for an account without failures. */
const BASE: GivenProof = {
  ...EVERYTHING,
  work: { difficulty: 16, floor: 16, scoped: false, algorithm: 'sha256' },
  image: false,
};

const before = async (host: ChallengeVerifier, device = LAPTOP, given = EVERYTHING) =>
  (await host.countDeviceAttempt(device, given))?.before;

t.test('a device counts its own failures, up to its budget per decay', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const host = hostOn(store);
    t.strictSame([await before(host), await before(host)], [0, 1]);
    await age(DECAY_MS / 2);
    t.strictSame([await before(host), await before(host)], [2, undefined], 'the budget is used up');
    t.equal(await before(host, PHONE), 0, 'of that device alone');
    t.match(await host.attemptStatus(ACCOUNT, ADDRESS), { failures: 0, waitMs: 0 }, 'the account has none');
    await age(DECAY_MS / 2);
    t.strictSame([await before(host), await before(host), await before(host)], [1, 2, undefined]);
  });
});

t.test('account failures do not count for the device', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    for (let n = 0; n < 120; n++) await host.countAttempt(ACCOUNT);
    t.equal(await before(host, LAPTOP, BASE), 0);
    await host.clearFailures(LAPTOP.key, ADDRESS);
    t.equal((await host.attemptStatus(ACCOUNT)).failures, 100, 'nor does its success clear them');
  });
});

t.test("an attempt with insufficient work is not counted, and returns the device's failures", async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    t.equal(await before(host, LAPTOP, BASE), 0);
    for (let n = 0; n < 3; n++) t.equal(await before(host, LAPTOP, BASE), 1);
    t.match(host.recheck(BASE, 1), { code: 'pow_insufficient' });
    t.equal(await before(host), 1);
  });
});

t.test('a withdrawn attempt and a success restore the budget', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    await before(host);
    await before(host);
    const attempt = await host.countDeviceAttempt(LAPTOP, EVERYTHING);
    t.equal(await before(host), undefined);
    await attempt?.withdraw();
    t.equal(await before(host), 2);
    await host.clearFailures(LAPTOP.key, ADDRESS);
    t.equal(await before(host), 0);
  });
});

t.test('at most the budget is counted for 200 parallel attempts over two connections', async (t) => {
  await eachStore(t, async (t, { store, reopen, kind }) => {
    const here = hostOn(store);
    const there = kind === 'redis' ? hostOn(await reopen()) : here;
    const counted = await Promise.all(
      Array.from({ length: 200 }, (_, n) => before(n % 2 === 0 ? here : there)),
    );
    t.strictSame(counted.filter((number) => number !== undefined).sort(), [0, 1, 2]);
  });
});

// Owners on a known device do not pay for strangers' attempts, and a stolen device gains its budget alone.

const OWNER = 'owner@example.com';
const RIGHT = 'right';
const BUDGET = 3;
const BASE_BITS = 2;
const CEILING_BITS = 14;

/** A submission. `device` replaces an account's device cookie. */
interface Try {
  readonly device?: string | undefined;
  readonly password?: string;
  readonly ticket?: string | undefined;
  readonly image?: boolean;
  readonly wrongImage?: boolean;
  /** An image in place of a new one. */
  readonly picture?: Pick<Submission, 'imageToken' | 'imageAnswer'> | undefined;
  readonly effort?: boolean;
}

interface Reached {
  readonly before: number;
  readonly device: string | undefined;
}

/** A password form with devices identified by a header, and the submissions that reached the password. */
async function openForm(t: Test, { store }: Pick<StoreUnderTest, 'store'>) {
  const desk = openDesk(store, { input: cheap });
  const app = Fastify({ trustProxy: true });
  t.teardown(() => app.close());
  await app.register(errorHandler);
  await app.register(guard, { store: desk.challenges, ring, options: desk.options, application: 'tests' });
  const reached: Reached[] = [];
  const device = async ({ headers }: FastifyRequest) =>
    headers['x-device'] === undefined ? undefined : { key: `Device ${headers['x-device']}`, budget: BUDGET };
  const key = ({ body }: FastifyRequest) => (body as { email: string }).email;
  const guards = [pow({ key, throttle: true, device })];
  app.post('/login', { config: { guards } }, async (request, reply) => {
    const attempt = await request.countAttempt();
    reached.push({ before: attempt.before, device: attempt.device });
    const { password } = request.body as { password: string };
    if (password !== RIGHT) return reply.code(422).send({ message: 'Wrong.', code: 'login_failed' });
    await attempt.succeeded();
    return { device: attempt.device };
  });
  let addresses = 0;
  const submit = async ({ device, password = 'wrong', ticket, ...given }: Try) => {
    const { image = false, wrongImage = false, effort = false } = given;
    addresses += 1;
    const ip = `198.18.${addresses >> 8}.${addresses & 255}`;
    const { powToken, powNonce, difficulty } = await desk.work({ ip, ticket });
    const picture = image || wrongImage ? await desk.image({ ip }) : given.picture;
    const { imageToken, imageAnswer } = (effort ? await desk.effort({ ip, ticket }) : picture) ?? {};
    const response = await app.inject({
      method: 'POST',
      url: '/login',
      headers: { 'x-forwarded-for': ip, ...(device === undefined ? {} : { 'x-device': device }) },
      payload: {
        email: OWNER,
        password,
        pow_token: powToken,
        pow_nonce: powNonce,
        captcha_token: imageToken,
        captcha: wrongImage ? 'zzzzzz' : imageAnswer,
      },
    });
    return { status: response.statusCode, json: response.json(), difficulty };
  };
  return { ...desk, submit, reached };
}

t.test('under any attack the owner pays the base price and needs no image', async (t) => {
  await eachKind(t, async (t, place) => {
    const { submit, ticket } = await openForm(t, place);
    for (let n = 0; n < 12; n++) await submit({ ticket: ticket(OWNER), image: true });
    const stranger = await submit({ password: RIGHT });
    t.match(stranger, { status: 422, json: { code: 'pow_insufficient', captcha_required: true } });
    const owner = await submit({ device: 'laptop', password: RIGHT });
    t.match(owner, { status: 200, json: { device: 'known' }, difficulty: BASE_BITS });
    const still = await submit({ ticket: ticket(OWNER) });
    t.match(
      still,
      { json: { code: 'captcha_required' }, difficulty: CEILING_BITS },
      'a success clears nothing',
    );
  });
});

t.test('a device pays for its own failures, and its rejections include its own ticket', async (t) => {
  await eachKind(t, async (t, place) => {
    const { submit, host } = await openForm(t, place);
    const first = await submit({ device: 'laptop' });
    t.match(first.json, { code: 'login_failed', captcha_required: false, pow_scope: String });
    const cheapAgain = await submit({ device: 'laptop' });
    t.match(cheapAgain.json, { code: 'pow_insufficient', captcha_required: false });
    const second = await submit({ device: 'laptop', ticket: first.json.pow_scope });
    t.match(second, { difficulty: BASE_BITS + 2, json: { code: 'login_failed', captcha_required: true } });
    const { pow_scope: scope } = second.json;
    const bare = await submit({ device: 'laptop', ticket: scope, password: RIGHT });
    t.match(bare, { difficulty: BASE_BITS + 4, json: { code: 'captcha_required' } });
    const wrong = await submit({ device: 'laptop', ticket: scope, wrongImage: true });
    t.match(wrong.json, { code: 'captcha_invalid', captcha_required: true, pow_scope: String });
    t.equal((await host.attemptStatus(OWNER)).failures, 0);
    const right = await submit({ device: 'laptop', ticket: scope, image: true, password: RIGHT });
    t.match(right, { status: 200, json: { device: 'known' } });
    const again = { device: 'laptop', ticket: scope, image: true, password: RIGHT };
    t.match(await submit(again), { status: 200, difficulty: BASE_BITS + 4 }, 'a success is no failure');
    await place.age(DECAY_MS);
    t.match(await submit({ device: 'laptop', password: RIGHT }), { status: 200, difficulty: BASE_BITS });
  });
});

t.test('work too cheap for a known device spent the image', async (t) => {
  await eachKind(t, async (t, place) => {
    const { submit, challenges, image } = await openForm(t, place);
    const first = await submit({ device: 'laptop' });
    await submit({ device: 'laptop', ticket: first.json.pow_scope });
    const picture = await image({ ip: '198.18.0.1' });
    const cheap = await submit({ device: 'laptop', picture });
    t.match(cheap.json, { code: 'pow_insufficient', captcha_required: true, pow_scope: String });
    t.type(await challenges.readImage(picture.imageToken), 'string', 'the image is unspent');
    const right = await submit({ device: 'laptop', ticket: cheap.json.pow_scope, picture, password: RIGHT });
    t.match(right, { status: 200, json: { device: 'known' }, difficulty: BASE_BITS + 4 });
  });
});

t.test("effort under a device's ticket replaces an image, within the limit of its failures", async (t) => {
  const { submit, ticket } = await openForm(t, await redisStore(t));
  const ofDevice = ticket('Device laptop');
  for (let n = 0; n < 2; n++) await submit({ device: 'laptop', ticket: ofDevice });
  const answer = { device: 'laptop', ticket: ofDevice, effort: true };
  t.equal((await submit(answer)).json.code, 'login_failed');
  t.match(await submit({ ...answer, password: RIGHT }), { status: 200 });
});

t.test('beyond its budget a device counts for the account', async (t) => {
  await eachKind(t, async (t, place) => {
    const { submit, ticket, reached, host } = await openForm(t, place);
    const ofDevice = ticket('Device laptop');
    for (let n = 0; n < BUDGET; n++) await submit({ device: 'laptop', ticket: ofDevice, image: true });
    t.strictSame(
      reached.splice(0),
      [0, 1, 2].map((before) => ({ before, device: 'known' })),
    );
    const beyond = await submit({ device: 'laptop' });
    t.match(beyond.json, { code: 'login_failed', captcha_required: false }, 'as one of the account');
    t.strictSame(reached.splice(0), [{ before: 0, device: 'spent' }]);
    t.equal((await host.attemptStatus(OWNER)).failures, 1);
    const scoped = await submit({ device: 'laptop', ticket: beyond.json.pow_scope, password: RIGHT });
    t.match(scoped, { status: 200, json: { device: 'spent' }, difficulty: BASE_BITS + 2 });
    t.equal((await host.attemptStatus(OWNER)).failures, 0, 'its success clears those of the account');
    await place.age(DECAY_MS);
    t.match(await submit({ device: 'laptop', password: RIGHT }), { json: { device: 'known' } });
  });
});

t.test("the owner's logins refilled the budget of a device whose cookie was stolen", async (t) => {
  await eachKind(t, async (t, place) => {
    const { submit, ticket, reached } = await openForm(t, place);
    const ofDevice = { device: 'laptop', ticket: ticket('Device laptop'), image: true };
    for (let n = 1; n < BUDGET; n++) {
      await submit(ofDevice);
      t.match(await submit({ ...ofDevice, password: RIGHT }), { status: 200, json: { device: 'known' } });
    }
    reached.splice(0);
    for (let n = 0; n < 3; n++) await submit(ofDevice);
    t.strictSame(
      reached.map(({ device }) => device),
      ['known', 'spent', 'spent'],
    );
  });
});

t.test('a device beyond its budget is delayed together with the account', async (t) => {
  const place = await redisStore(t);
  const { host, submit, ticket } = await openForm(t, place);
  const ofDevice = ticket('Device laptop');
  for (let n = 0; n < BUDGET; n++) await submit({ device: 'laptop', ticket: ofDevice, image: true });
  // The address of the next submission.
  for (let n = 0; n < 5; n++) await host.countAttempt(OWNER, `198.18.0.${BUDGET + 1}`);
  const waiting = await submit({ device: 'laptop', ticket: ticket(OWNER), image: true });
  t.match(waiting, { status: 429, json: { code: 'login_throttled', captcha_required: true } });
});

/** Account events: submissions, parallel or not, or elapsed time. */
type Action =
  | {
      readonly is: 'stranger' | 'thief';
      readonly times: number;
      readonly image: boolean;
      readonly priced: boolean;
    }
  | { readonly is: 'owner' }
  | { readonly is: 'time'; readonly ms: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constantFrom('stranger' as const, 'thief' as const),
      times: fc.integer({ min: 1, max: 4 }),
      image: fc.boolean(),
      priced: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ is: 'owner' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('time' as const),
      ms: fc.constantFrom(100_000, 450_000, 850_000, 900_000),
    }),
  },
);

t.test(
  'after any events the owner pays the base price, and all attackers together gain one budget',
  async (t) => {
    await eachKind(t, async (t, place) => {
      const { submit, ticket, reached, host } = await openForm(t, place);
      const run = async (actions: readonly Action[]) => {
        let nowMs = 0;
        /** Times of submissions that reached the password, for the account and for the stolen device. */
        const counted: Record<'account' | 'device', number[]> = { account: [], device: [] };
        for (const next of actions) {
          if (next.is === 'time') {
            nowMs += next.ms;
            await place.age(next.ms);
          } else if (next.is === 'owner') {
            const { status, json, difficulty } = await submit({ device: 'laptop', password: RIGHT });
            reached.pop();
            if (status !== 200 || json.device !== 'known' || difficulty !== BASE_BITS) {
              throw new Error(`the owner was answered ${status} at ${difficulty} bits`);
            }
          } else {
            const device = next.is === 'thief' ? 'stolen' : undefined;
            const name = device === undefined ? OWNER : `Device ${device}`;
            const one = () =>
              submit({ device, image: next.image, ticket: next.priced ? ticket(name) : undefined });
            await Promise.all(Array.from({ length: next.times }, one));
            // Each is counted once, after the previous failures, by a counter of its own.
            for (const try_ of reached.splice(0).sort((a, b) => a.before - b.before)) {
              const times = counted[try_.device === 'known' ? 'device' : 'account'];
              const remembered = times.filter((atMs) => atMs > nowMs - DECAY_MS).length;
              if (try_.before !== remembered) throw new Error(`${try_.before} before, not ${remembered}`);
              times.push(nowMs);
            }
          }
          const ofDevice = counted.device.filter((atMs) => atMs > nowMs - DECAY_MS).length;
          if (ofDevice > BUDGET) throw new Error(`the stolen device gained ${ofDevice}`);
        }
        await place.age(DECAY_MS);
        await host.clearFailures(OWNER);
      };
      await fc.assert(fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 20 }), run), {
        numRuns: 25,
      });
      t.pass();
    });
  },
);
