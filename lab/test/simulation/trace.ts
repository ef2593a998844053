// The events of a simulated history.

import type { RotationVerdict } from '@tollgate/session-service/stores/session-store.js';

/** The owner, or a thief's index in the history's list. */
export type Party = 'owner' | number;

/** Times are milliseconds since the login. */
export interface RefreshEntry {
  readonly kind: 'refresh';
  readonly by: Party;
  readonly sentAtMs: number;
  readonly decidedAtMs: number;
  /** When its cookie is stored; undefined if the response was lost. */
  readonly storedAtMs: number | undefined;
  readonly presented: number;
  readonly outcome: RotationVerdict['outcome'];
  /** Generation in the response; undefined if it was rejected. */
  readonly generation: number | undefined;
}

/** A protected request. */
export interface UseEntry {
  readonly kind: 'use';
  readonly by: Party;
  readonly generation: number;
}

/** The events, in the order in which the service saw them. */
export type Trace = readonly (RefreshEntry | UseEntry)[];
