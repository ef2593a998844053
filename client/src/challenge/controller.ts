// What a form, an element or a hook drives the challenges of one form with.

import type { ChallengeState, ChallengeStatus } from './challenge-state.js';

/** The challenges of one form. */
export interface ChallengeController {
  readonly status: ChallengeStatus;
  /** The same object until something changes. */
  readonly state: ChallengeState;
  /** The fields for the next submission under their configured names; empty unless ready. Looking at them spends nothing. */
  readonly fields: Readonly<Record<string, string>>;
  /** A submission is under way: from `take` or `submit` until its answer is told. */
  readonly isSubmitting: boolean;
  /** Calls the listener after each change. @returns ends it */
  subscribe(listener: () => void): () => void;
  /** Fetches and solves fresh challenges. Resolves when that has come to an end, well or badly: `state` says which. */
  refresh(): Promise<void>;
  /** The person is at the form: work that has become too old is done again. Cheap enough for every key stroke. */
  touch(): void;
  /** What the person has typed in answer to the image. An empty text clears it, and is no sign of a person. */
  setAnswer(text: string): void;
  /** Shows another image in place of this one. The typed answer is dropped. */
  newImage(): Promise<void>;
  /** Answers the demand with work in place of the image, or with an image again. */
  chooseAlternative(name: 'effort' | 'image'): Promise<void>;
  /**
   * Waits until ready and hands the fields out; each set is handed out once.
   * @throws what `state.error` holds, when it cannot become ready
   */
  take(): Promise<Record<string, string>>;
  /**
   * To be told the answer to every submission: its parsed body when it was refused, null when it succeeded. Decides
   * about the image, keeps the ticket that prices the next work, and fetches fresh challenges.
   * @returns whether the submission is to be repeated at once with better work (`pow_insufficient`), once
   */
  settle(body: unknown): Promise<boolean>;
  /**
   * `take`, `send` and `settle` in one, repeating once when better work is asked for.
   * @param send sends the form with these fields; the response is cloned before it is read
   */
  submit(send: (fields: Record<string, string>) => Promise<Response>): Promise<Response>;
  /** Aborts whatever is under way and lets go of everything. Nothing can be started afterwards. */
  close(): void;
}

/** What `createChallenge` makes. */
export interface PausableChallenge extends ChallengeController {
  /** Stops what is under way; until `resume` nothing is asked for but what a `take` or `submit` waits for. */
  pause(): void;
  resume(): void;
}
