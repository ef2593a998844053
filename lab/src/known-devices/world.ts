// One account under the real attempt rules, on an embedded store with a simulated clock.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ChallengeVerifier,
  createChallengeVerifier,
  type GivenProof,
  type KnownDevice,
} from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import { priceOf } from '@tollgate/shared/pow';
import { type CaptchaOptions, resolveCaptchaOptions } from '@tollgate/shared/schemas';
import { openChallengeStore, openStore } from '@tollgate/shared/store';

/** A client that tries a password. */
export interface Person {
  /** The client's address. */
  readonly ip: string;
  /** The device of the client's cookie. */
  readonly device?: KnownDevice | undefined;
  /** Whether the client solves a required image; otherwise it gives up there. */
  readonly answersImages: boolean;
}

/** An attempt at the password: its cost, and its counters. */
export interface Try {
  readonly bits: number;
  readonly image: boolean;
  readonly countedFor: 'account' | 'device';
  /** Clears the failures of its counters: the password was right. */
  succeed(): Promise<void>;
}

/** The account, and the time of its store. */
interface World {
  readonly options: CaptchaOptions;
  nowMs(): number;
  /** Advances the time. */
  pass(ms: number): void;
  /** Meets the requirements until the password is checked; undefined if the client is throttled or gives up. */
  attempt(person: Person): Promise<Try | undefined>;
  close(): Promise<void>;
}

const ACCOUNT = 'owner@example.com';
const SECRET = 'challenge-secret-of-the-simulation-01';

/** Opens an account without failures. */
export function openWorld(): World {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-known-devices-'));
  let nowMs = Date.now();
  const store = openStore(`file:${join(folder, 'store.db')}`, '.', () => nowMs);
  const options = resolveCaptchaOptions({});
  const verifier = createChallengeVerifier({
    store: openChallengeStore(store, 'captcha'),
    ring: openKeyRing(SECRET),
    options,
    application: 'login',
    clock: () => nowMs,
  });
  return {
    options,
    nowMs: () => nowMs,
    pass(ms) {
      nowMs += ms;
    },
    attempt: (person) => attempt(verifier, person),
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As in the login's guard, with the work of a client that learns the price from each rejection. */
async function attempt(verifier: ChallengeVerifier, person: Person): Promise<Try | undefined> {
  const { pow } = verifier.options;
  const { ip, device, answersImages } = person;
  const base = { algorithm: 'sha256', floor: pow.difficulty };
  let work = { ...base, difficulty: pow.difficulty, scoped: false };
  let image = false;
  for (;;) {
    const given: GivenProof = { work, image, isImageStillEnough: () => true };
    const ofDevice = device === undefined ? null : await verifier.countDeviceAttempt(device, given);
    const counted = ofDevice ?? (await verifier.countAttempt(ACCOUNT, ip, given));
    if (counted.waitMs > 0) return undefined;
    const refusal = verifier.recheck(given, counted.before);
    if (refusal === null) {
      return {
        bits: work.difficulty,
        image,
        countedFor: ofDevice === null ? 'account' : 'device',
        async succeed() {
          await ofDevice?.withdraw();
          await verifier.clearFailures(ofDevice === null ? ACCOUNT : undefined, ip);
        },
      };
    }
    if (refusal.code === 'captcha_required' && !answersImages) return undefined;
    image ||= refusal.code === 'captcha_required';
    const difficulty = priceOf(termsOf(verifier.options), counted.before, 0);
    work = { ...base, difficulty, scoped: true };
  }
}

function termsOf({ pow }: CaptchaOptions) {
  return {
    floor: pow.difficulty,
    ceiling: pow.max_difficulty,
    failureStep: pow.step,
    // The volume of an address does not depend on the account.
    volumeStep: 0,
    volumeEvery: 1,
  };
}
