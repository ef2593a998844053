// Challenge controller for forms, elements and hooks.

import type { ChallengeState, ChallengeStatus } from './challenge-state.js';

/** Controls the challenges of one form. */
export interface ChallengeController {
  readonly status: ChallengeStatus;
  /** The same object until something changes. */
  readonly state: ChallengeState;
  /** Fields of the next submission under their configured names; empty unless ready. Reading does not spend them. */
  readonly fields: Readonly<Record<string, string>>;
  /** Whether a submission is in flight: from `take` or `submit` until its response is settled. */
  readonly isSubmitting: boolean;
  /** Calls the listener after each change. @returns a function that removes the listener */
  subscribe(listener: () => void): () => void;
  /** Fetches and solves new challenges. Resolves on success and on failure: see `state`. */
  refresh(): Promise<void>;
  /** Records user activity and renews expired work. Cheap enough to call for every key stroke. */
  touch(): void;
  /** Sets the image answer. An empty text clears it and does not count as activity. */
  setAnswer(text: string): void;
  /** Replaces the image and clears the answer. */
  newImage(): Promise<void>;
  /** Replaces a required image with work, or work with an image. */
  chooseAlternative(name: 'effort' | 'image'): Promise<void>;
  /**
   * Waits until ready and returns the fields; each set is returned once.
   * @throws the error in `state.error` if the challenges cannot become ready
   */
  take(): Promise<Record<string, string>>;
  /**
   * Processes the response to a submission; call it for every one. Updates the image requirement, stores the ticket
   * that prices the next work, and fetches new challenges.
   * @param body parsed body of an error response; null after a success
   * @returns whether to repeat the submission at once with harder work (`pow_insufficient`); true at most once
   */
  settle(body: unknown): Promise<boolean>;
  /**
   * Combines `take`, `send` and `settle`, and repeats the submission once if harder work is required.
   * @param send sends the form with these fields; the response is cloned before it is read
   */
  submit(send: (fields: Record<string, string>) => Promise<Response>): Promise<Response>;
  /** Aborts everything and releases all resources. A closed controller cannot be restarted. */
  close(): void;
}

/** The controller that `createChallenge` returns. */
export interface PausableChallenge extends ChallengeController {
  /** Stops fetching and solving; until `resume`, only `take` and `submit` fetch challenges. */
  pause(): void;
  /** Continues. Fetches challenges unless none were wanted before: without `autoStart` and use of the form. */
  resume(): void;
}
