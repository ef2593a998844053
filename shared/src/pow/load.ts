// The load level: the surcharge on work while more logins arrive than can be checked (docs/decisions/price-by-load.md).

/**
 * The load of a queue: the share of time in which all its threads were busy, plus the share of occupied places. 1 is full
 * capacity of the threads, 2 of the queue.
 */
export type QueueLoad = number;

/** The highest load of a queue: it rejects. */
export const FULL_LOAD: QueueLoad = 2;

/** The load from which the level rises. */
export const RISE_LOAD: QueueLoad = 1.1;
/** The load from which the level is kept. */
export const HOLD_LOAD: QueueLoad = 0.8;
/** Time with that load before the level rises by one, and until it rises by the next, in milliseconds. */
export const RISE_MS = 3000;
/** Time without that load before the level falls by one, and until it falls by the next, in milliseconds. */
export const FALL_MS = 30_000;

/** The state of the rule. Times are those of the store, in milliseconds since 1970. */
export interface LoadState {
  /** 0 is the normal price. */
  readonly level: number;
  /** Time when the load last justified the level. */
  readonly heldMs: number;
  /** Since when the load exceeds capacity; 0 if it does not. */
  readonly overMs: number;
}

/** The state before any load. */
export const NO_LOAD: LoadState = { level: 0, heldMs: 0, overMs: 0 };

/** The parameters of the rule; the default is the result of the simulation. */
export interface LoadRule {
  readonly riseLoad: number;
  readonly holdLoad: number;
  readonly riseMs: number;
  readonly fallMs: number;
}

/** The rule of the services. */
export const LOAD_RULE: LoadRule = {
  riseLoad: RISE_LOAD,
  holdLoad: HOLD_LOAD,
  riseMs: RISE_MS,
  fallMs: FALL_MS,
};

/**
 * Returns the level at a time. It falls by itself: no write is needed, and an unresponsive store neither raises nor keeps
 * it.
 */
export function levelAt(state: LoadState, nowMs: number, { fallMs }: LoadRule = LOAD_RULE): number {
  // A clock that was set back would keep the level for that time.
  const calmMs = Math.abs(nowMs - state.heldMs);
  return Math.max(0, state.level - Math.floor(calmMs / fallMs));
}

/**
 * Returns the state after a second with this load.
 * @param levels how many levels there are
 */
export function nextLoadState(
  state: LoadState,
  load: QueueLoad,
  nowMs: number,
  levels: number,
  rule: LoadRule = LOAD_RULE,
): LoadState {
  const level = Math.min(levelAt(state, nowMs, rule), levels);
  if (load < rule.holdLoad) return { ...state, overMs: 0 };
  if (load < rule.riseLoad) return { level, heldMs: nowMs, overMs: 0 };
  const overMs = state.overMs > 0 && state.overMs <= nowMs ? state.overMs : nowMs;
  if (nowMs - overMs < rule.riseMs || level === levels) return { level, heldMs: nowMs, overMs };
  return { level: level + 1, heldMs: nowMs, overMs: nowMs };
}

/** Reads the option `load_levels`: the bits that each level adds, separated by commas. */
export function loadLevels(option: string | undefined): readonly number[] {
  return option === undefined ? [] : option.split(',').map(Number);
}

/** Returns the bits that a level adds to the floor; a level beyond the last counts as the last. */
export function levelBits(levels: readonly number[], level: number): number {
  return level < 1 ? 0 : (levels[Math.min(level, levels.length) - 1] ?? 0);
}
