// The load: a constant number of operations per second, whatever their results.
import type { Exchange } from '../ledger/timeline.js';
import { issue, offerAgain } from './challenges.js';
import { attemptInApplication, guess } from './guesser.js';
import { presentEnded, refresh, signIn, signOut, verify } from './visitor.js';
import type { Actor, World } from './world.js';

/** A running load. */
interface Load {
  /** Everything sent so far, in the order of the responses. */
  readonly exchanges: readonly Exchange[];
  /** Stops starting operations, and resolves when all current ones have ended. */
  stop(): Promise<void>;
}

const OPERATIONS_PER_SECOND = 40;

/** Below the first there are more logins than logouts; above the second, the reverse. */
const FEWEST_SESSIONS = 25;
const MOST_SESSIONS = 35;

/** A frozen system must not collect requests without limit. */
const MOST_UNDER_WAY = 400;

const come: Actor = async (world) => {
  const sessions = world.ledger.live.items.length;
  const isIn = sessions < FEWEST_SESSIONS || (sessions < MOST_SESSIONS && world.random.below(2) === 0);
  await (isIn ? signIn : signOut)(world);
};

/** Each actor's number of turns out of 40. */
const MIX: readonly (readonly [Actor, number])[] = [
  [come, 10],
  [refresh, 9],
  [verify, 6],
  [offerAgain, 3],
  [presentEnded, 3],
  [guess, 3],
  [attemptInApplication, 3],
  [issue, 3],
];

/** Starts the load. @param exchanges filled by the world's `ask` */
export function startLoad(world: World, exchanges: readonly Exchange[]): Load {
  const actors = MIX.flatMap(([actor, times]) => Array.from({ length: times }, () => actor));
  const underWay = new Set<Promise<void>>();
  let failed: unknown;
  const timer = setInterval(() => {
    const actor = world.random.pick(actors);
    if (actor === undefined || underWay.size >= MOST_UNDER_WAY) return;
    const acting = actor(world)
      .catch((error: unknown) => {
        failed ??= error;
      })
      .finally(() => underWay.delete(acting));
    underWay.add(acting);
  }, 1_000 / OPERATIONS_PER_SECOND);
  return {
    exchanges,
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      if (failed !== undefined) throw failed;
    },
  };
}
