// Public proof-of-work libraries behind one interface, each with its used or open challenges in Redis for their lifetime.
import type { Redis } from 'ioredis';
import type { LoadPeer } from './packages.js';

export const WORK_KINDS = ['altcha-lib v1', 'altcha-lib v2', '@cap.js/server'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

interface WorkLibrary {
  /** @returns the response to the browser */
  issue(): Promise<object>;
  /** Checks that work was done, in time and for the first time. */
  check(body: object): Promise<boolean>;
  /** Issues a challenge and solves it. @returns the body to check */
  solved(): Promise<object>;
}

const SECRET = 'the secret of the public libraries in this benchmark';
const LIFETIME_MS = 3_600_000;

const expiry = () => new Date(Date.now() + LIFETIME_MS);
const toBase64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

/** @param redis for data shared with a second process and kept across a restart */
export function openWorkLibrary(kind: WorkKind, load: LoadPeer, redis: Redis): Promise<WorkLibrary> {
  if (kind === '@cap.js/server') return openCap(load, redis);
  /** Marks a challenge as used. Resolves with whether it was unused. */
  const markUsed = async (id: string) =>
    (await redis.set(`altcha:${id}`, '1', 'PX', LIFETIME_MS, 'NX')) === 'OK';
  return kind === 'altcha-lib v1' ? openAltcha1(load, markUsed) : openAltcha2(load, markUsed);
}

type MarkUsed = (id: string) => Promise<boolean>;

interface Altcha1 {
  createChallenge(options: object): Promise<{ maxnumber?: number; signature: string }>;
  verifySolution(payload: string, key: string): Promise<boolean>;
}

async function openAltcha1(load: LoadPeer, markUsed: MarkUsed): Promise<WorkLibrary> {
  const { createChallenge, verifySolution } = await load<Altcha1>('altcha-lib/v1');
  const options = () => ({ hmacKey: SECRET, maxnumber: 2, expires: expiry() });
  return {
    issue: () => createChallenge(options()),
    async check(body) {
      const { altcha } = body as { altcha: string };
      if (!(await verifySolution(altcha, SECRET))) return false;
      return markUsed((JSON.parse(atob(altcha)) as { signature: string }).signature);
    },
    async solved() {
      const { maxnumber: _, ...challenge } = await createChallenge({ ...options(), number: 1 });
      return { altcha: toBase64({ ...challenge, number: 1 }) };
    },
  };
}

interface Altcha2 {
  createChallenge(options: object): Promise<object>;
  solveChallenge(options: object): Promise<object>;
}
interface Altcha2Fastify {
  create(options: object): {
    verify(
      payload: string,
      deriveKey: unknown,
      secret: string,
      keySecret: undefined,
      store: object,
    ): Promise<{ error: unknown }>;
  };
}

async function openAltcha2(load: LoadPeer, markUsed: MarkUsed): Promise<WorkLibrary> {
  const { createChallenge, solveChallenge } = await load<Altcha2>('altcha-lib');
  const { create } = await load<Altcha2Fastify>('altcha-lib/frameworks/fastify');
  const { deriveKey } = await load<{ deriveKey: unknown }>('altcha-lib/algorithms/sha');
  const { verify } = create({ hmacSignatureSecret: SECRET });
  const store = { get: () => undefined, set: () => undefined, setIfAbsent: markUsed };
  const createOne = () =>
    createChallenge({
      algorithm: 'SHA-256',
      cost: 1,
      deriveKey,
      expiresAt: expiry(),
      hmacSignatureSecret: SECRET,
      keyPrefix: '0',
    });
  return {
    issue: createOne,
    async check(body) {
      const { altcha } = body as { altcha: string };
      return (await verify(altcha, deriveKey, SECRET, undefined, store)).error === null;
    },
    async solved() {
      const challenge = await createOne();
      const solution = await solveChallenge({ challenge, deriveKey });
      return { altcha: toBase64({ challenge, solution }) };
    },
  };
}

type Cap = new (
  options: object,
) => {
  createChallenge(options: object): Promise<{ token: string }>;
  redeemChallenge(body: object): Promise<{ success: boolean; token: string }>;
  validateToken(token: string): Promise<{ success: boolean }>;
};

async function openCap(load: LoadPeer, redis: Redis): Promise<WorkLibrary> {
  const { default: Cap } = await load<{ default: Cap }>('@cap.js/server');
  const storage = {
    challenges: {
      store: (token: string, data: object) =>
        redis.set(`cap:c:${token}`, JSON.stringify(data), 'PX', LIFETIME_MS),
      async read(token: string) {
        const data = await redis.get(`cap:c:${token}`);
        return data === null ? null : JSON.parse(data);
      },
      delete: (token: string) => redis.del(`cap:c:${token}`),
      deleteExpired: async () => {},
    },
    tokens: {
      store: (key: string, expires: number) => redis.set(`cap:t:${key}`, expires, 'PXAT', expires),
      get: async (key: string) => Number(await redis.get(`cap:t:${key}`)) || null,
      delete: (key: string) => redis.del(`cap:t:${key}`),
      deleteExpired: async () => {},
    },
  };
  const cap = new Cap({ noFSState: true, storage, disableAutoCleanup: true });
  // One challenge like the others instead of its usual 50. With difficulty 0 any nonce solves it, at the same cost to check.
  const createOne = () =>
    cap.createChallenge({ challengeCount: 1, challengeDifficulty: 0, expiresMs: LIFETIME_MS });
  return {
    issue: createOne,
    async check(body) {
      const { success, token } = await cap.redeemChallenge(body);
      return success && (await cap.validateToken(token)).success;
    },
    async solved() {
      const { token } = await createOne();
      return { token, solutions: [0] };
    },
  };
}
