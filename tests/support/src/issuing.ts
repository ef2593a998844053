// Issues challenges as the challenge service does, and solves them, for tests of their verification.

import { randomBytes } from 'node:crypto';
import {
  accountPseudonym,
  addressPseudonym,
  type ChallengeStore,
  type ChallengeVerifier,
  createChallengeVerifier,
  type Demand,
  EFFORT,
  effortPartDifficulty,
  encodePowTail,
  encodeVerifiedTail,
  formatAnswerRecord,
  formatEffortRecord,
  makeToken,
  normaliseAddress,
  openTicket,
  type Scope,
  scrambleAnswer,
  sealTicket,
  slotTag,
  type VerifiedType,
} from '@tollgate/shared/challenges';
import { type KeyRing, openKeyRing } from '@tollgate/shared/crypto';
import { EFFORT_PARTS } from '@tollgate/shared/pow';
import {
  type CaptchaOptions,
  type CaptchaOptionsInput,
  resolveCaptchaOptions,
} from '@tollgate/shared/schemas';
import { openChallengeStore, type Store } from '@tollgate/shared/store';
import { findNonce } from './find-nonce.js';

export const SECRET = 'challenge-secret-of-these-tests-01';
export const ring = openKeyRing(SECRET);
export const IP = '203.0.113.7';
export const ACCOUNT = 'someone@example.com';
export const ANSWER = 'k7mxqp';

/** The salt of every effort here. The smallest effort takes seconds to solve, so its solutions are precomputed. */
export const EFFORT_SALT = '00112233445566778899aabbccddeeff';
const KNOWN_ANSWERS: ReadonlyMap<number, string> = new Map([
  [
    18,
    '594790.270759.62109.581260.183380.244348.356310.265693.214565.6256.421691.92874.126659.98676.495863.593720',
  ],
  [
    20,
    '2318628.270759.828758.2017011.852854.394568.356310.517660.2321533.700344.638360.92874.697679.1118989.495863.937868',
  ],
]);

const LIMIT = { max: 100_000, windowMs: 60_000 };

/** Cheap to solve, otherwise the defaults: a floor of 2 bits, a step of 2, a captcha after 2 failures. */
export const cheap: CaptchaOptionsInput = {
  test_mode: true,
  pow: { difficulty: 2, max_difficulty: 14, volume: { step: 0 } },
  min_seconds: 0,
};

/** A challenge service and an application on one store. */
export interface Desk {
  readonly challenges: ChallengeStore;
  readonly host: ChallengeVerifier;
  readonly options: CaptchaOptions;
  /** Solved work; `ticket` as in `?scope=`. */
  work(asked?: Asked): Promise<Work>;
  /** An image and its answer. */
  image(asked?: Asked): Promise<{ imageToken: string; imageAnswer: string }>;
  /** Effort with its solution; deps of 18 or 20 bits, or few. */
  effort(asked?: Asked & { partDifficulty?: number }): Promise<Effort>;
  /** The ticket that a failed response about the account would include. */
  ticket(key?: string): string;
}

export interface Asked {
  readonly ticket?: unknown;
  readonly ip?: string;
  /** Options of the issuing service that differ from those of the host. */
  readonly options?: CaptchaOptions;
}

export interface Work {
  readonly powToken: string;
  readonly powNonce: string;
  readonly salt: string;
  readonly difficulty: number;
}

export interface Effort {
  readonly imageToken: string;
  readonly imageAnswer: string;
  readonly partDifficulty: number;
}

/** The content of a ticket, with the failures of its account. */
interface Priced {
  readonly scope: Scope | null;
  readonly failures: number;
  readonly demand: Demand | null;
}

interface DeskParts {
  readonly input?: CaptchaOptionsInput;
  readonly keys?: KeyRing;
  readonly name?: string;
  readonly kinds?: readonly VerifiedType[];
  readonly clock?: () => number;
}

export function openDesk(store: Store, deps: DeskParts = {}): Desk {
  const { input = cheap, keys = ring, name = 'tests', kinds = [], clock = Date.now } = deps;
  const options = resolveCaptchaOptions(input);
  const challenges = openChallengeStore(store, options.cache.prefix);
  const host = createChallengeVerifier({
    store: challenges,
    ring: keys,
    options,
    application: name,
    kinds,
    clock,
  });
  const decayMs = options.escalation.decay * 1000;

  const priced = async ({ ticket }: Asked): Promise<Priced> => {
    const opened = options.pow.escalate ? openTicket(keys, ticket, clock()) : null;
    const { scope, demand } = opened ?? { scope: null, demand: null };
    if (scope === null) return { scope, failures: 0, demand };
    const { failures } = await challenges.attemptStatus(scope.account, undefined, decayMs);
    return { scope, failures, demand };
  };
  const tokenFor = (asked: Asked) => {
    const address = addressPseudonym(keys.current, normaliseAddress(asked.ip ?? IP) ?? '');
    return { address, token: makeToken(slotTag(address)), bound: options.bind_ip ? address : null };
  };

  return {
    challenges,
    host,
    options,

    async work(asked = {}) {
      const { pow, escalation } = asked.options ?? options;
      const { scope, failures, demand } = await priced(asked);
      const { address, token, bound } = tokenFor(asked);
      const salt = randomBytes(16).toString('hex');
      const keyId = keys.current.id;
      const issued = await challenges.issuePow({
        token,
        address,
        limit: LIMIT,
        recordTail: encodePowTail({
          floor: pow.difficulty,
          algorithm: 'sha256',
          keyId,
          salt,
          address: bound,
          scope,
        }),
        terms: {
          floor: pow.difficulty,
          ceiling: pow.max_difficulty,
          failureStep: pow.escalate ? pow.step : 0,
          volumeStep: pow.volume.step,
          volumeEvery: pow.volume.every,
        },
        failures,
        hasTicket: scope !== null,
        least: demand?.bits ?? 0,
        volumeMs: escalation.decay * 1000,
        expireSeconds: pow.expire,
        expireGrows: pow.expire_grows,
      });
      if (!issued.allowed) throw new Error('the request exceeded its limit');
      const { difficulty } = issued;
      return { powToken: token, powNonce: findNonce(salt, difficulty), salt, difficulty };
    },

    async image(asked = {}) {
      const { address, token, bound } = tokenFor(asked);
      const answer = scrambleAnswer(keys.current, token, ANSWER);
      const rest = formatAnswerRecord({ preset: 'default', driver: 'none', seed: 1, fold: true, answer });
      await challenges.issueImage({
        token,
        address,
        limit: LIMIT,
        recordTail: encodeVerifiedTail({
          verifiedBy: 'answer',
          type: 'text',
          keyId: keys.current.id,
          address: bound,
          rest,
        }),
        expireSeconds: options.cache.expire,
      });
      return { imageToken: token, imageAnswer: ANSWER };
    },

    async effort(asked = {}) {
      const { scope, failures } = await priced(asked);
      const { address, token, bound } = tokenFor(asked);
      const partDifficulty = asked.partDifficulty ?? effortPartDifficulty(asked.options ?? options, failures);
      const rest = formatEffortRecord({ partDifficulty, salt: EFFORT_SALT, scope });
      await challenges.issueImage({
        token,
        address,
        limit: LIMIT,
        recordTail: encodeVerifiedTail({
          verifiedBy: 'verify',
          type: EFFORT,
          keyId: keys.current.id,
          address: bound,
          rest,
        }),
        expireSeconds: options.cache.expire,
      });
      return { imageToken: token, imageAnswer: solveEffort(partDifficulty), partDifficulty };
    },

    ticket: (key = ACCOUNT) =>
      options.pow.escalate
        ? sealTicket(keys.current, accountPseudonym(keys.current, name, key), clock() + decayMs)
        : '',
  };
}

/** The sixteen nonces for `EFFORT_SALT`, joined. */
export function solveEffort(bits: number): string {
  const known = KNOWN_ANSWERS.get(bits);
  if (known !== undefined) return known;
  return Array.from({ length: EFFORT_PARTS }, (_, part) =>
    findNonce(EFFORT_SALT + String(part).padStart(2, '0'), bits),
  ).join('.');
}

/** Records this many failures of the account. */
export async function fail(host: ChallengeVerifier, times: number, key = ACCOUNT): Promise<void> {
  for (let i = 0; i < times; i++) await host.recordFailure(key);
}
