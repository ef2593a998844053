// The controller of a form's challenges, which forms, elements and hooks use.

import type { ChallengeState, ChallengeStatus } from './challenge-state.js';

/** Controls the challenges of one form. */
export interface ChallengeController {
  readonly status: ChallengeStatus;
  /** The same object until something changes. */
  readonly state: ChallengeState;
  /** The fields of the next submission under their configured names; empty unless ready. Reading them spends nothing. */
  readonly fields: Readonly<Record<string, string>>;
  /** Whether a submission is under way: from `take` or `submit` until its answer is settled. */
  readonly isSubmitting: boolean;
  /** Calls the listener after each change. @returns a function that removes the listener */
  subscribe(listener: () => void): () => void;
  /** Fetches and solves fresh challenges. Resolves when that has succeeded or failed: see `state`. */
  refresh(): Promise<void>;
  /** Records that the person uses the form, and renews expired work. Cheap enough to call for every key stroke. */
  touch(): void;
  /** Sets the person's answer to the image. An empty text clears it and does not count as activity. */
  setAnswer(text: string): void;
  /** Replaces the image. The answer is dropped. */
  newImage(): Promise<void>;
  /** Replaces a required image by work, or work by an image. */
  chooseAlternative(name: 'effort' | 'image'): Promise<void>;
  /**
   * Waits until ready and returns the fields; each set is returned once.
   * @throws the error in `state.error` if the challenges cannot become ready
   */
  take(): Promise<Record<string, string>>;
  /**
   * Handles the answer to a submission; call it for every one. Updates the image requirement, keeps the ticket that
   * prices the next work, and fetches fresh challenges.
   * @param body the parsed body of a refusal; null after a success
   * @returns whether to repeat the submission at once with better work (`pow_insufficient`); true at most once
   */
  settle(body: unknown): Promise<boolean>;
  /**
   * Combines `take`, `send` and `settle`, and repeats the submission once if better work is required.
   * @param send sends the form with these fields; the response is cloned before it is read
   */
  submit(send: (fields: Record<string, string>) => Promise<Response>): Promise<Response>;
  /** Aborts everything and releases all resources. A closed controller cannot be started again. */
  close(): void;
}

/** The controller that `createChallenge` returns. */
export interface PausableChallenge extends ChallengeController {
  /** Stops fetching and solving; until `resume`, only a `take` or `submit` fetches what it waits for. */
  pause(): void;
  resume(): void;
}
