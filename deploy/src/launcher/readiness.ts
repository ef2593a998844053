// Waiting for a service: until it is ready, has died, or has been without its store for too long.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from './service-process.js';
import { StartError } from './start-error.js';

export interface Patience {
  /** How long a service may answer without being ready, in milliseconds. */
  readonly unreadyMs: number;
  /** How long a service may take to answer at all, in milliseconds. */
  readonly silentMs: number;
}

const pauseMs = 50;
const unreadyPauseMs = 500;

/** Services find a mistake in a variable that both read within moments: this is how long the others are waited for. */
const sharedMistakeMs = 1_500;

/** A service, and the address that answers 200 when it is ready. */
export interface Candidate {
  readonly service: ServiceProcess;
  readonly url: string;
  /** Makes the line for the terminal from the body of an answer that was not wholly ready; nothing when it will do. */
  explain(body: string): string | undefined;
}

/**
 * Resolves when every service is ready.
 * @throws {StartError} each line once, when a service is gone, silent, or unready for longer than it may be
 */
export async function waitUntilAllReady(candidates: readonly Candidate[], patience: Patience): Promise<void> {
  const lines = new Set<string>();
  const waits = candidates.map(async (candidate) => {
    try {
      await waitUntilReady(candidate, patience);
    } catch (error) {
      for (const line of (error as Error).message.split('\n')) lines.add(line);
      throw error;
    }
  });
  try {
    await Promise.all(waits);
  } catch {
    await Promise.race([Promise.allSettled(waits), sleep(sharedMistakeMs, undefined, { ref: false })]);
    throw new StartError([...lines].join('\n'));
  }
}

async function waitUntilReady({ service, url, explain }: Candidate, patience: Patience): Promise<void> {
  const startedMs = performance.now();
  let unreadySinceMs: number | undefined;
  while (service.isRunning()) {
    const answer = await ask(url);
    if (answer?.status === 200 && !/"status":"degraded"/.test(answer.body)) return;
    const nowMs = performance.now();
    if (answer === undefined) {
      if (nowMs - startedMs > patience.silentMs) throw new StartError(`${service.name} does not answer.`);
    } else {
      const line = explain(answer.body);
      if (line === undefined) return;
      unreadySinceMs ??= nowMs;
      if (nowMs - unreadySinceMs > patience.unreadyMs) throw new StartError(line);
    }
    await sleep(answer === undefined ? pauseMs : unreadyPauseMs);
  }
  throw new StartError(service.complaint() || `${service.name} stopped while it was starting.`);
}

async function ask(url: string): Promise<{ status: number; body: string } | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return { status: response.status, body: await response.text() };
  } catch {
    return undefined;
  }
}
