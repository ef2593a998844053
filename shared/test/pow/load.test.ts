// Prices by load: rise, hold and fall of the level.

import t from 'tap';
import {
  FALL_MS,
  FULL_LOAD,
  HOLD_LOAD,
  type LoadState,
  levelAt,
  levelBits,
  loadLevels,
  NO_LOAD,
  nextLoadState,
  RISE_LOAD,
  RISE_MS,
} from '../../src/pow/load.js';

const START_MS = 1_700_000_000_000;
const LEVELS = 3;

/** Applies one load value per second, starting from a state. */
function follow(loads: readonly number[], from: LoadState = NO_LOAD, startMs = START_MS): LoadState {
  return loads.reduce((state, load, at) => nextLoadState(state, load, startMs + at * 1000, LEVELS), from);
}

const seconds = (count: number, load: number) => Array<number>(count).fill(load);
const RISE_S = RISE_MS / 1000;

t.test('a lasting load raises the level, one step at a time, up to the last', async (t) => {
  t.equal(follow(seconds(RISE_S, FULL_LOAD)).level, 0);
  for (const level of [1, 2, 3]) {
    const loads = seconds(RISE_S * level + 1, FULL_LOAD);
    t.equal(follow(loads).level, level);
    t.equal(follow(loads.slice(0, -1)).level, level - 1);
  }
  t.equal(follow(seconds(100, FULL_LOAD)).level, LEVELS);
  t.equal(follow(seconds(RISE_S + 1, RISE_LOAD)).level, 1, 'the least load that raises it');
  t.equal(nextLoadState(NO_LOAD, FULL_LOAD, START_MS, 0).level, 0, 'without levels there is none');
});

t.test('an interrupted load, or one within capacity, raises nothing', async (t) => {
  const interrupted = Array.from({ length: 60 }, (_, at) => (at % RISE_S === 0 ? 0 : FULL_LOAD));
  t.equal(follow(interrupted).level, 0);
  t.equal(follow(seconds(60, RISE_LOAD - 0.01)).level, 0);
});

t.test('the level stays while the load is high enough, and falls by itself afterwards', async (t) => {
  const top = follow(seconds(10, FULL_LOAD));
  t.equal(top.level, LEVELS);
  const held = follow(seconds(600, HOLD_LOAD), top, START_MS + 10_000);
  t.equal(levelAt(held, START_MS + 609_000), LEVELS);
  const lastMs = top.heldMs;
  for (let level = LEVELS; level >= 0; level--) {
    const fallen = LEVELS - level;
    t.equal(levelAt(top, lastMs + fallen * FALL_MS), level);
    if (level > 0) t.equal(levelAt(top, lastMs + (fallen + 1) * FALL_MS - 1), level);
  }
  t.equal(levelAt(top, lastMs + 1e12), 0);
  t.strictSame(follow(seconds(100, 0), top), { ...top, overMs: 0 }, 'nobody has to write for it');
});

t.test('a fallen level rises from its current value', async (t) => {
  const top = follow(seconds(10, FULL_LOAD));
  const laterMs = top.heldMs + FALL_MS;
  t.equal(levelAt(top, laterMs), LEVELS - 1);
  const again = follow(seconds(RISE_S + 1, FULL_LOAD), { ...top, overMs: 0 }, laterMs);
  t.equal(again.level, LEVELS);
});

t.test('a state in the future, as after a clock set back, keeps no level', async (t) => {
  const state = { level: 2, heldMs: START_MS + 86_400_000, overMs: START_MS + 86_400_000 };
  t.equal(levelAt(state, START_MS), 0);
  t.equal(follow(seconds(RISE_S, FULL_LOAD), state).level, 0);
  t.equal(follow(seconds(RISE_S + 1, FULL_LOAD), state).level, 1, 'and delays no rise');
});

t.test('for any loads the level stays within its bounds and moves by one', async (t) => {
  let seed = 1;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return (seed / 2_147_483_647) * FULL_LOAD;
  };
  let state = NO_LOAD;
  for (let at = 0; at < 20_000; at++) {
    const nowMs = START_MS + at * 1000;
    const before = levelAt(state, nowMs);
    state = nextLoadState(state, next(), nowMs, LEVELS);
    const level = levelAt(state, nowMs);
    if (level < 0 || level > LEVELS || Math.abs(level - before) > 1) t.fail(`${before} to ${level} at ${at}`);
  }
});

t.test('the bits of a level', async (t) => {
  const levels = loadLevels('2,4,6');
  t.strictSame(levels, [2, 4, 6]);
  t.strictSame(
    [-1, 0, 1, 2, 3, 4, 99].map((level) => levelBits(levels, level)),
    [0, 0, 2, 4, 6, 6, 6],
  );
  t.strictSame(loadLevels(undefined), []);
  t.equal(levelBits([], 3), 0);
});
