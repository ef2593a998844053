// Plays a history against a store, call by call, and records the trace.

import type { SessionRules } from '@tollgate/session-service/domain/session-record.js';
import type { RotationVerdict } from '@tollgate/session-service/stores/session-store.js';
import type { History, Round, TabRefresh, Thief } from './history.js';
import type { Party, RefreshEntry, Trace, UseEntry } from './trace.js';

/** A call of the store, `atMs` milliseconds after the login. Only a rotation has a verdict. */
interface StoreCall {
  readonly kind: 'rotate' | 'prove';
  readonly atMs: number;
  readonly generation: number;
  /** Who refreshes. */
  readonly by?: Party;
}

export interface SimulationOptions {
  readonly rules: SessionRules;
  /** Whether the first use of an access token is reported to the store. */
  readonly provesUse: boolean;
  /** Whether the session is bound to a key, which only the owner proves. */
  readonly isBound?: boolean;
  /**
   * Whether thieves prove their own key to the unbound session: with a nonce of any refresh (`any_nonce`), or with that of
   * the login, which no copied cookie includes (`first_nonce`).
   */
  readonly thievesBind?: 'any_nonce' | 'first_nonce';
  /** Every time is rounded down to a multiple of this; 1 by default. */
  readonly tickMs?: number;
}

interface Token {
  readonly generation: number;
  readonly expiresAtMs: number;
}

/** An event at a time: the call of the store, and the effect of its verdict. */
interface Happening {
  readonly atMs: number;
  happen(): StoreCall | undefined;
  hear?(verdict: RotationVerdict): void;
}

interface World extends SimulationOptions {
  readonly entries: (RefreshEntry | UseEntry)[];
  /** The browser's cookie for a refresh: that of the last response that arrived. */
  jar: Token;
  /** Clients that have been rejected, or have only an expired token. */
  readonly out: Set<Party>;
  at(ms: number): number;
}

/** Plays the history. Yields calls of the store and expects the verdict of a rotation. */
export function* simulate(
  history: History,
  options: SimulationOptions,
): Generator<StoreCall, Trace, RotationVerdict | undefined> {
  const { tickMs = 1, rules } = options;
  const world: World = {
    ...options,
    entries: [],
    jar: { generation: 1, expiresAtMs: Math.min(rules.refreshTtlMs, rules.maxAgeMs) },
    out: new Set(),
    at: (ms) => ms - (ms % tickMs),
  };
  const beginnings = roundBeginnings(history.rounds);
  const agenda = [
    ...history.rounds.flatMap(({ refreshes }, round) =>
      refreshes.flatMap((refresh) => tabHappenings(world, refresh, beginnings[round] ?? 0)),
    ),
    ...history.thieves.flatMap((thief, place) => thiefHappenings(world, thief, place, beginnings)),
  ].sort((a, b) => a.atMs - b.atMs);

  for (const happening of agenda) {
    const call = happening.happen();
    if (call === undefined) continue;
    const verdict = yield call;
    if (verdict !== undefined) happening.hear?.(verdict);
  }
  return world.entries;
}

function roundBeginnings(rounds: readonly Round[]): number[] {
  let beginMs = 0;
  return rounds.map(({ pauseMs }) => {
    beginMs += pauseMs;
    return beginMs;
  });
}

function tabHappenings(world: World, refresh: TabRefresh, beginMs: number): Happening[] {
  const { fate, useMs } = refresh;
  if (fate === 'unsent') return [];
  const sentMs = beginMs + refresh.startMs;
  const decidedMs = sentMs + refresh.requestMs;
  const arrivesMs = decidedMs + refresh.answerMs;
  const storedAtMs = fate === 'lost' ? undefined : world.at(arrivesMs);
  let presented: Token | undefined;
  let answer: Token | undefined;

  const send: Happening = {
    atMs: sentMs,
    happen() {
      presented = usable(world, 'owner', world.jar, sentMs);
      return undefined;
    },
  };
  const decide: Happening = {
    atMs: decidedMs,
    happen() {
      presented = presented && usable(world, 'owner', presented, decidedMs);
      return presented && rotateCall(world, 'owner', presented, decidedMs);
    },
    hear(verdict) {
      if (presented === undefined) return;
      const times = { sentAtMs: world.at(sentMs), decidedAtMs: world.at(decidedMs), storedAtMs };
      answer = record(world, 'owner', presented, times, verdict);
    },
  };
  const store: Happening = {
    atMs: arrivesMs,
    happen() {
      if (answer !== undefined) world.jar = answer;
      return undefined;
    },
  };
  const happenings = [send, decide];
  if (fate !== 'lost') happenings.push(store);
  if (fate === 'arrives' && useMs !== undefined) {
    happenings.push(use(world, 'owner', () => answer, arrivesMs + useMs));
  }
  return happenings;
}

function thiefHappenings(
  world: World,
  thief: Thief,
  place: number,
  beginnings: readonly number[],
): Happening[] {
  let round = thief.copy.round % beginnings.length;
  let token: Token | undefined;
  const copy: Happening = {
    atMs: (beginnings[round] ?? 0) + thief.copy.afterMs,
    happen() {
      token = world.jar;
      return undefined;
    },
  };
  const moves = thief.moves.flatMap((move): Happening[] => {
    round += move.roundsLater;
    const beginMs = beginnings[round];
    if (beginMs === undefined) return [];
    const atMs = beginMs + move.afterMs;
    const decidedAtMs = world.at(atMs);
    const times = { sentAtMs: decidedAtMs, decidedAtMs, storedAtMs: decidedAtMs };
    let presented: Token | undefined;
    let answer: Token | undefined;
    const refresh: Happening = {
      atMs,
      happen() {
        presented = token && usable(world, place, token, atMs);
        return presented && rotateCall(world, place, presented, atMs);
      },
      hear(verdict) {
        if (presented === undefined) return;
        answer = record(world, place, presented, times, verdict);
        token = answer;
      },
    };
    if (move.useMs === undefined) return [refresh];
    return [refresh, use(world, place, () => answer, atMs + move.useMs)];
  });
  return [copy, ...moves];
}

/** The token if its holder can still present it: the store is never called with an expired one. */
function usable(world: World, party: Party, token: Token, atMs: number): Token | undefined {
  if (world.out.has(party)) return undefined;
  if (world.at(atMs) < token.expiresAtMs) return token;
  world.out.add(party);
  return undefined;
}

function rotateCall(world: World, by: Party, { generation }: Token, atMs: number): StoreCall {
  return { kind: 'rotate', atMs: world.at(atMs), generation, by };
}

function record(
  world: World,
  by: Party,
  { generation: presented }: Token,
  times: Pick<RefreshEntry, 'sentAtMs' | 'decidedAtMs' | 'storedAtMs'>,
  verdict: RotationVerdict,
): Token | undefined {
  const generation = 'generation' in verdict ? verdict.generation : undefined;
  world.entries.push({ kind: 'refresh', by, ...times, presented, outcome: verdict.outcome, generation });
  if (generation === undefined) {
    world.out.add(by);
    return undefined;
  }
  const { refreshTtlMs, maxAgeMs } = world.rules;
  return { generation, expiresAtMs: Math.min(times.decidedAtMs + refreshTtlMs, maxAgeMs) };
}

function use(world: World, by: Party, answer: () => Token | undefined, atMs: number): Happening {
  return {
    atMs,
    happen() {
      const generation = answer()?.generation;
      if (generation === undefined) return undefined;
      world.entries.push({ kind: 'use', by, generation });
      return world.provesUse ? { kind: 'prove', atMs: world.at(atMs), generation } : undefined;
    },
  };
}
