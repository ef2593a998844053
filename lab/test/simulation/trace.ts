// What happened in a simulated history.

import type { RotationVerdict } from '@tollgate/session-service/stores/session-store.js';

/** The owner, or the place of a thief in the history's list. */
export type Party = 'owner' | number;

/** Times are milliseconds since the login. */
export interface RefreshEntry {
  readonly kind: 'refresh';
  readonly by: Party;
  readonly sentAtMs: number;
  readonly decidedAtMs: number;
  /** When its cookie is stored; undefined when the answer was lost. */
  readonly storedAtMs: number | undefined;
  readonly presented: number;
  readonly outcome: RotationVerdict['outcome'];
  /** Generation of the answer; undefined when it was refused. */
  readonly generation: number | undefined;
}

/** A protected request. */
export interface UseEntry {
  readonly kind: 'use';
  readonly by: Party;
  readonly generation: number;
}

/** What happened, in the order in which the service saw it. */
export type Trace = readonly (RefreshEntry | UseEntry)[];
