// A site under attack, in virtual time: the domain code of the price, the limits and the password queue.

import { FULL_LOAD, priceOf } from '@tollgate/shared/pow';
import { resolveCaptchaOptions } from '@tollgate/shared/schemas';
import { openRandom, type Random } from '../random.js';
import { openPasswordQueue } from './password-queue.js';
import type { ComparedRule } from './rules.js';
import { type Device, devices, type Scenario } from './scenarios.js';

/** Results for visitors during the attack. */
export interface Outcome {
  /** Share of successful logins. */
  readonly success: number;
  /** Seconds from the first request to the end of each successful login, by device. */
  readonly waitsS: Readonly<Record<string, readonly number[]>>;
  /** Average bits added to the floor during the attack. */
  readonly meanBits: number;
  /** Seconds from the end of the attack until the price is the usual one. */
  readonly fallBackS: number;
}

/** Logins a second of usual visitors. */
export const VISITORS_PER_SECOND = 10;
/** The site: two processes with one password thread each, together 125 a second. */
const PROCESSES = 2;
const CHECK_S = 0.016;
const PLACES = 32;
/** Images that a site of this size draws in a second. */
const DRAWINGS_PER_SECOND = 4000;
/** Logins and challenges a second of one address: the default limits. */
const LOG_INS_OF_ADDRESS = 30 / 60;

const STEP_S = 0.02;
const CALM_S = 30;
const AFTER_S = 300;
/** Attempts of a client after a 503, and their interval. */
const TRIES = 3;
const RETRY_S = 2;
const DECAY_S = 900;

interface Visitor {
  readonly device: Device;
  readonly startS: number;
  tries: number;
}

const { pow } = resolveCaptchaOptions({});

function bitsFor(extra: number, requests: number): number {
  const terms = {
    floor: pow.difficulty + extra,
    ceiling: pow.max_difficulty,
    failureStep: pow.step,
    volumeStep: pow.volume.step,
    volumeEvery: pow.volume.every,
  };
  return priceOf(terms, 0, Math.max(1, Math.floor(requests)));
}

/** Runs one scenario under one rule. The same seed gives the same result. */
export function simulate(scenario: Scenario, compared: ComparedRule, seed: number): Outcome {
  const random = openRandom(seed);
  const rule = compared.open();
  const queues = Array.from({ length: PROCESSES }, () => openPasswordQueue(CHECK_S, PLACES));
  const endS = CALM_S + scenario.durationS;
  const steps = Math.round((endS + AFTER_S) / STEP_S);
  /** Visitors whose work is solved in a step. */
  const due = new Map<number, Visitor[]>();
  const extraOfSecond: number[] = [];
  const waitsS: Record<string, number[]> = Object.fromEntries(devices.map(({ name }) => [name, []]));
  let came = 0;
  let signedIn = 0;
  let issued = 0;
  /** Challenges requested by the attacker. */
  let requests = 0;
  let lastRaisedS = endS;

  const isDuring = (atS: number) => atS >= CALM_S && atS < endS;
  const startWork = (visitor: Visitor, atS: number, extra: number) => {
    issued += 1;
    const solvedS = atS + random.exponential(2 ** bitsFor(extra, visitor.tries) / visitor.device.rate);
    const step = Math.ceil(solvedS / STEP_S);
    const there = due.get(step);
    if (there === undefined) due.set(step, [visitor]);
    else there.push(visitor);
  };
  const finish = (visitor: Visitor, doneS: number) => {
    if (!isDuring(visitor.startS)) return;
    signedIn += 1;
    waitsS[visitor.device.name]?.push(doneS - visitor.startS);
  };

  for (let step = 0; step < steps; step++) {
    const nowS = step * STEP_S;
    const extra = rule.bits(nowS * 1000);
    if (step % Math.round(1 / STEP_S) === 0 && step > 0) {
      const loads = queues.map((queue) => queue.take(nowS));
      const passwords = loads.reduce((sum, load) => sum + load, 0) / PROCESSES;
      const images = isDuring(nowS - 1) ? (scenario.images ?? 0) / DRAWINGS_PER_SECOND : 0;
      rule.note({ issued, passwords, drawings: images > 1 ? FULL_LOAD : images }, nowS * 1000);
      issued = isDuring(nowS) ? (scenario.asks ?? 0) : 0;
      extraOfSecond.push(extra);
      if (extra > 0 && nowS >= endS) lastRaisedS = nowS;
    }

    const perSecond = VISITORS_PER_SECOND + (isDuring(nowS) ? (scenario.visitors ?? 0) : 0);
    for (let more = random.poisson(perSecond * STEP_S); more > 0; more--) {
      const visitor = { device: deviceOf(random), startS: nowS, tries: 1 };
      if (isDuring(nowS)) came += 1;
      startWork(visitor, nowS, extra);
    }

    const attempts = isDuring(nowS) ? logInsOf(scenario, nowS - CALM_S, requests, extraOfSecond, random) : 0;
    requests += attempts;
    issued += attempts;
    const honest = due.get(step) ?? [];
    due.delete(step);
    let hostile = attempts;
    const startedS = nowS;
    // Both arrive mixed.
    for (let left = honest.length + hostile; left > 0; left--) {
      const isHostile = random.uniform() * left < hostile;
      const queue = queues[Math.floor(random.uniform() * PROCESSES)]!;
      const doneS = queue.add(startedS);
      if (isHostile) {
        hostile -= 1;
        continue;
      }
      const visitor = honest.pop()!;
      if (doneS !== null) finish(visitor, doneS);
      else if (visitor.tries < TRIES) {
        visitor.tries += 1;
        startWork(visitor, nowS + RETRY_S, extra);
      }
    }
  }
  const during = extraOfSecond.slice(CALM_S, endS);
  return {
    success: signedIn / came,
    waitsS,
    meanBits: during.reduce((sum, bits) => sum + bits, 0) / during.length,
    fallBackS: lastRaisedS - endS,
  };
}

function deviceOf(random: Random): Device {
  let left = random.uniform();
  for (const device of devices) {
    left -= device.share;
    if (left < 0) return device;
  }
  return devices[0]!;
}

/** Logins with solved work that the attacker sends in a step. */
function logInsOf(
  { hashes = 0, addresses = 0, pulse, aheadS = 0 }: Scenario,
  sinceS: number,
  requests: number,
  extraOfSecond: readonly number[],
  random: Random,
): number {
  if (hashes === 0) return 0;
  if (pulse !== undefined && sinceS % (pulse.onS + pulse.offS) >= pulse.onS) return 0;
  const priced = Math.max(0, extraOfSecond.length - 1 - aheadS);
  const windowShare = Math.min(1, DECAY_S / Math.max(1, sinceS));
  const bits = bitsFor(extraOfSecond[priced] ?? 0, (requests / addresses) * windowShare);
  const perSecond = Math.min(hashes / 2 ** bits, addresses * LOG_INS_OF_ADDRESS);
  return random.poisson(perSecond * STEP_S);
}
