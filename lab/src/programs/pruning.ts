// Prunes a million expired entries of the embedded store while challenges are issued and consumed.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { powIssue } from '@tollgate/challenge-service/domain/proof-of-work.js';
import { openKeyRing } from '@tollgate/shared/crypto';
import { resolveCaptchaOptions } from '@tollgate/shared/schemas';
import { openChallengeStore, openStore } from '@tollgate/shared/store';
import type { Program } from '../program.js';
import { percentile } from '../statistics.js';

const OPTIONS = { count: { type: 'string', default: '1000000' } } as const;
const AT_ONCE = 2_000;
const LIFETIME_MS = 120_000;
/** Maximum time that an issue may wait for a batch. */
const BOUND_MS = 50;

const program: Program<typeof OPTIONS> = {
  title: 'pruning a million expired entries: wait of an issue meanwhile',
  method: 'Option: --count 1000000',
  options: OPTIONS,
  async run({ values }, report) {
    const count = Number(values.count);
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
    let aheadMs = 0;
    const store = openStore(`file:${join(folder, 'store.db')}`, '.', () => Date.now() + aheadMs);
    const challenges = openChallengeStore(store, 'captcha');
    const deps = {
      options: resolveCaptchaOptions({}),
      ring: openKeyRing('s'.repeat(32)),
      limit: { max: 1e9, windowMs: 60_000 },
      random: randomBytes,
    };
    const issue = async () => {
      const { issue } = powIssue(deps, `198.51.100.${randomBytes(1)[0]}`, null);
      await challenges.issuePow(issue);
      return issue.token;
    };
    try {
      for (let done = 0; done < count; done += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, issue));
      aheadMs = 10 * LIFETIME_MS;
      const state = { isPruning: true };
      const startedMs = performance.now();
      const pruning = store.prune().finally(() => {
        state.isPruning = false;
      });
      const waits: number[] = [];
      while (state.isPruning) {
        const sinceMs = performance.now();
        await challenges.take('pow', await issue(), randomBytes(16).toString('hex'));
        waits.push(performance.now() - sinceMs);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      const removed = await pruning;
      const longest = Math.max(...waits);
      report.row('pruning', { removed, seconds: (performance.now() - startedMs) / 1000 });
      report.row('an issue and its take meanwhile', {
        pairs: waits.length,
        'p50 ms': percentile(waits, 0.5),
        'p99 ms': percentile(waits, 0.99),
      });
      report.verdict('expired entries removed', removed, { atLeast: count });
      report.verdict('longest issue and take', longest, { atMost: BOUND_MS }, 'ms');
    } finally {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
export default program;
