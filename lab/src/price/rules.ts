// The simulated rules: the bits that each adds to the floor of the price.
import {
  FALL_MS,
  LOAD_RULE,
  type LoadRule,
  levelAt,
  levelBits,
  NO_LOAD,
  nextLoadState,
  type QueueLoad,
} from '@tollgate/shared/pow';

/** The reports of all processes for a second. */
interface ReportedSecond {
  readonly issued: number;
  /** Means over the processes. */
  readonly passwords: QueueLoad;
  readonly drawings: QueueLoad;
}

/** A rule with its state. */
export interface PriceRule {
  /** Processes the reports of a second, at its end. */
  note(second: ReportedSecond, nowMs: number): void;
  /** Bits added to the floor. */
  bits(nowMs: number): number;
}

/** A rule by its name; each run opens it anew. */
export interface ComparedRule {
  readonly name: string;
  open(): PriceRule;
}

/** The documented bits of each level. */
const LEVELS: readonly number[] = [2, 4, 6];

/** The price without load. */
export const fixed: ComparedRule = { name: 'fixed price', open: () => ({ note() {}, bits: () => 0 }) };

/**
 * A level that rises during a load.
 * @param loadOf the load that counts
 */
function byLoad(
  name: string,
  levels: readonly number[],
  loadOf: (second: ReportedSecond) => QueueLoad,
  rule: LoadRule = LOAD_RULE,
): ComparedRule {
  return {
    name,
    open() {
      let state = NO_LOAD;
      // A process sends its change with its next report.
      let proposed = NO_LOAD;
      return {
        note(second, nowMs) {
          state = proposed;
          proposed = nextLoadState(state, loadOf(second), nowMs, levels.length, rule);
        },
        bits: (nowMs) => levelBits(levels, levelAt(state, nowMs, rule)),
      };
    },
  };
}

/** The rule of the services. */
export const chosen: ComparedRule = byLoad('passwords', LEVELS, ({ passwords }) => passwords);

/** The same with one number changed. */
export const variants: readonly ComparedRule[] = [
  variant('levels 2,4', [2, 4]),
  variant('levels 1,2,3,4', [1, 2, 3, 4]),
  variant('levels 2,4,6,8', [2, 4, 6, 8]),
  variant('levels 4,8', [4, 8]),
  variant('rises after 1 s', LEVELS, { riseMs: 1000 }),
  variant('rises after 6 s', LEVELS, { riseMs: 6000 }),
  variant('rises after 10 s', LEVELS, { riseMs: 10_000 }),
  variant('falls after 15 s', LEVELS, { fallMs: 15_000 }),
  variant('falls after 60 s', LEVELS, { fallMs: 60_000 }),
  variant('falls after 120 s', LEVELS, { fallMs: 120_000 }),
  variant('held from 0.5', LEVELS, { holdLoad: 0.5 }),
  variant('held from 1.1', LEVELS, { holdLoad: 1.1 }),
];

function variant(name: string, levels: readonly number[], changed: Partial<LoadRule> = {}): ComparedRule {
  return byLoad(name, levels, ({ passwords }) => passwords, { ...LOAD_RULE, ...changed });
}

/** Includes drawings. */
export const byDrawings: ComparedRule = byLoad('passwords and drawings', LEVELS, ({ passwords, drawings }) =>
  Math.max(passwords, drawings),
);

/** The level follows the request rate: the first at three times the usual, each further one at three times the previous. */
export function byIssues(usualPerSecond: number): ComparedRule {
  return {
    name: 'challenges issued',
    open() {
      let level = 0;
      let heldMs = 0;
      const now = (nowMs: number) => Math.max(0, level - Math.floor((nowMs - heldMs) / FALL_MS));
      return {
        note({ issued }, nowMs) {
          const wanted = Math.floor(Math.log(Math.max(1, issued / usualPerSecond)) / Math.log(3));
          if (wanted < now(nowMs)) return;
          level = Math.min(wanted, LEVELS.length);
          heldMs = nowMs;
        },
        bits: (nowMs) => levelBits(LEVELS, now(nowMs)),
      };
    },
  };
}
