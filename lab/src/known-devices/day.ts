// A day of one account: its owner logs in now and then, strangers fail, and a thief may have a device cookie.

import type { Random } from '../random.js';
import type { Scenario } from './scenarios.js';
import { DEFAULT_BUDGET } from './scenarios.js';
import { openWorld, type Person, type Try } from './world.js';

/** The results of a day. */
export interface Day {
  /** The price of each login of the owner in bits, and how many of them required an image or failed. */
  readonly ownerBits: readonly number[];
  readonly ownerImages: number;
  readonly ownerRefused: number;
  /** When attempts of others reached the password, in milliseconds since the start of the day. */
  readonly onAccount: readonly number[];
  readonly onDevice: readonly number[];
  /** The decay of failures, in milliseconds. */
  readonly decayMs: number;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const OWNER_LOG_INS = 24;
/** One in this many logins is mistyped first. */
const MISTYPED = 5;

type Actor = 'owner' | 'stranger' | 'thief';

/** Plays a day. */
export async function playDay(scenario: Scenario, random: Random): Promise<Day> {
  const world = openWorld();
  try {
    const beganMs = world.nowMs();
    const ownerBits: number[] = [];
    const counts = { images: 0, refused: 0 };
    const reached = { account: [] as number[], device: [] as number[] };
    let strangers = 0;
    const note = (one: Try | undefined) => {
      if (one !== undefined) reached[one.countedFor].push(world.nowMs() - beganMs);
    };
    /** Each stranger has a separate address, so that none is throttled. */
    const stranger = (device?: Person['device']): Person => {
      strangers += 1;
      const ip = `2001:db8:${(strangers >> 16).toString(16)}:${(strangers & 0xffff).toString(16)}::1`;
      return { ip, device, answersImages: scenario.strangersAnswerImages };
    };
    const owner: Person = {
      ip: '198.51.100.7',
      device: scenario.ownerIsKnown ? { key: 'Device owner', budget: DEFAULT_BUDGET } : undefined,
      answersImages: true,
    };
    const signIn = async () => {
      if (random.below(MISTYPED) === 0) await world.attempt(owner);
      const right = await world.attempt(owner);
      if (right === undefined) {
        counts.refused += 1;
        return;
      }
      ownerBits.push(right.bits);
      if (right.image) counts.images += 1;
      await right.succeed();
    };
    for (const { atMs, who } of planOf(scenario, random)) {
      world.pass(Math.max(0, beganMs + atMs - world.nowMs()));
      if (who === 'owner') await signIn();
      else if (who === 'stranger') note(await world.attempt(stranger()));
      else note(await world.attempt(stranger({ key: 'Device stolen', budget: DEFAULT_BUDGET })));
    }
    const { images, refused } = counts;
    return {
      ownerBits,
      ownerImages: images,
      ownerRefused: refused,
      onAccount: reached.account,
      onDevice: reached.device,
      decayMs: world.options.escalation.decay * 1000,
    };
  } finally {
    await world.close();
  }
}

/** All attempts by time. */
function planOf({ strangersPerHour, hasThief }: Scenario, random: Random) {
  const plan: { readonly atMs: number; readonly who: Actor }[] = [];
  const add = (who: Actor, count: number) => {
    for (let n = 0; n < count; n++) plan.push({ atMs: random.below(DAY_MS), who });
  };
  add('owner', OWNER_LOG_INS);
  add('stranger', strangersPerHour * 24);
  // Always ready for the moment at which a device failure is forgotten.
  if (hasThief) for (let atMs = 0; atMs < DAY_MS; atMs += MINUTE_MS) plan.push({ atMs, who: 'thief' });
  return plan.toSorted((one, other) => one.atMs - other.atMs);
}

/** The maximum number of these times within any span of this length. @param times ascending */
export function mostWithin(times: readonly number[], spanMs: number): number {
  let [first, most] = [0, 0];
  for (const [last, atMs] of times.entries()) {
    while ((times[first] ?? 0) <= atMs - spanMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
