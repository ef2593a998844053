// The operations on passes: each is one atomic step on the store's own clock.

import type { PassOutcome, PresentedPass, StoredPass } from '../attempts/pass.js';

/** Uses of a pass are counted in windows of this length, which begin with the first use, in milliseconds. */
export const PASS_WINDOW_MS = 60_000;

/** A pass that is presented to an application. */
export interface PassUse extends PresentedPass {
  readonly application: string;
  /** Identifies the request: the same one counts once. */
  readonly claim: string;
  /** How long a claim is remembered, in milliseconds. */
  readonly rememberMs: number;
}

/** What became of it, and for how long the pass stays exhausted; 0 otherwise. */
export interface UsedPass {
  readonly outcome: PassOutcome;
  readonly waitMs: number;
}

/** A pass that is made. */
export interface NewPass extends Omit<StoredPass, 'expiresAtMs'> {
  readonly lifetimeMs: number;
}

/** Passes in the store. Each method is one atomic step and throws StoreUnavailableError if the store does not answer. */
export interface PassStore {
  /**
   * Compares a pass with the stored hash, and counts the use unless the pass is used up in this minute. Only a pass that is
   * right, alive and of this application counts.
   */
  usePass(use: PassUse): Promise<UsedPass>;
  /** Keeps a new pass and drops expired ones. Returns when it expires; null if a live pass has its name. */
  makePass(pass: NewPass): Promise<number | null>;
  /** Returns all passes by name, possibly including expired ones. */
  listPasses(): Promise<StoredPass[]>;
  /** Removes a pass, which is refused from then on. Returns whether there was one. */
  revokePass(name: string): Promise<boolean>;
}
