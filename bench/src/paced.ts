// Asks with pauses, so that a long answer is the service's own and not a queue's.

const PAUSE_MS = 5;

/**
 * @param askers how many ask at once, each one question after the other
 * @param questions of each of them
 * @param ask one question of this asker; what it throws ends the measurement
 * @returns how long each answer took, ms
 */
export async function askPaced(
  askers: number,
  questions: number,
  ask: (asker: number) => Promise<void>,
): Promise<number[]> {
  const times: number[] = [];
  const askAll = async (_: unknown, asker: number) => {
    for (let count = 0; count < questions; count++) {
      const startedMs = performance.now();
      await ask(asker);
      times.push(performance.now() - startedMs);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  await Promise.all(Array.from({ length: askers }, askAll));
  return times;
}
