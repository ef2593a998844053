// Prepares solved proofs of work, so that a program measures only their verification.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { NewWork } from '@tollgate/challenge-service/domain/issuing.js';
import { powIssue } from '@tollgate/challenge-service/domain/proof-of-work.js';
import { openKeyRing } from '@tollgate/shared/crypto';
import { HASHWX_PARTS, hashwxPartHashes, SHA256 } from '@tollgate/shared/pow';
import { resolveCaptchaOptions } from '@tollgate/shared/schemas';
import { openChallengeStore, openStore } from '@tollgate/shared/store';
import { findHashwxNumbers } from '@tollgate/test-support/find-hashwx-numbers.js';
import { untilAnswered } from './until-answered.js';

interface SolvedWork {
  readonly pow_token: string;
  readonly pow_nonce: string;
}

const OPTIONS = resolveCaptchaOptions({
  test_mode: true,
  pow: {
    difficulty: 1,
    max_difficulty: 1,
    algorithms: 'sha256,hashwx-1',
    volume: { step: 0 },
    expire: 3600,
  },
});

const AT_ONCE = 50;

/** Issues and solves `count` challenges of one bit each, or HashWX's minimum, directly on the store. */
export async function prepareSolvedWork(
  storeUrl: string,
  secret: string,
  count: number,
  algorithm: string = SHA256,
): Promise<SolvedWork[]> {
  const store = openStore(storeUrl, '.');
  if (store.kind === 'redis') await once(store.client, 'ready');
  const challenges = openChallengeStore(store, 'captcha');
  const limit = { max: 1e9, windowMs: 60_000 };
  const deps = { options: OPTIONS, ring: openKeyRing(secret), limit, random: randomBytes };
  const prepared: SolvedWork[] = [];
  while (prepared.length < count) {
    const issues = Array.from({ length: Math.min(AT_ONCE, count - prepared.length) }, () =>
      powIssue(deps, `198.51.${randomBytes(1)[0]}.${randomBytes(1)[0]}`, null, 0, algorithm),
    );
    await Promise.all(issues.map(({ issue }) => untilAnswered(() => challenges.issuePow(issue))));
    for (const { issue, work } of issues) {
      prepared.push({ pow_token: issue.token, pow_nonce: solve(work) });
    }
  }
  await store.close();
  return prepared;
}

/** Request bodies that are each sent once: prepared when needed, and kept until they are sent. */
export interface BodySupply {
  take(count: number): Promise<string[]>;
  giveBack(unsent: readonly string[]): void;
}

/** Opens a supply of solved proofs of work, as JSON. */
export function openSolvedWork(storeUrl: string, secret: string, algorithm?: string): BodySupply {
  return openSupply(async (count) =>
    (await prepareSolvedWork(storeUrl, secret, count, algorithm)).map((work) => JSON.stringify(work)),
  );
}

/** Opens a supply. @param prepare creates so many new bodies */
export function openSupply(prepare: (count: number) => Promise<string[]>): BodySupply {
  let kept: string[] = [];
  return {
    async take(count) {
      const available = [...kept, ...(await prepare(Math.max(0, count - kept.length)))];
      kept = available.slice(count);
      return available.slice(0, count);
    },
    giveBack(unsent) {
      kept = [...kept, ...unsent];
    },
  };
}

function solve({ salt, terms }: NewWork): string {
  if (terms !== undefined) {
    const [exchange = 0, nonces_per_function = 0] = terms;
    const part_hashes = hashwxPartHashes(1, exchange);
    return findHashwxNumbers({ salt, parts: HASHWX_PARTS, part_hashes, nonces_per_function });
  }
  for (let nonce = 0; ; nonce++) {
    if (createHash('sha256').update(`${salt}${nonce}`).digest()[0]! < 128) return String(nonce);
  }
}
