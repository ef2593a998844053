// The interface of a work algorithm: issuing, describing and verifying.

/** Numbers that an algorithm keeps in a record besides bits and salt. Only the algorithm knows their meaning. */
export type Terms = readonly number[];

/** Recorded work. */
export interface RecordedWork {
  /** Bits of the whole. */
  readonly bits: number;
  /** Hexadecimal digits. */
  readonly salt: string;
  /** Missing if the algorithm has none. */
  readonly terms?: Terms | undefined;
}

/** One algorithm of work. */
export interface Algorithm {
  /** Its name on the wire. */
  readonly name: string;
  /** Bytes of a salt. Its length is fixed, so that the hashed text needs no separator. */
  readonly saltBytes: number;
  /** SHA-256 hashes that one hash costs, unless the option sets another number. */
  readonly exchange: number;
  /** Makes the terms of new work; missing if it has none. */
  newTerms?(exchange: number, noncesPerFunction: number): Terms;
  /** Returns whether recorded terms are valid; missing if it has none. */
  areTerms?(terms: Terms): boolean;
  /** Returns the response fields that only this algorithm has; missing if there are none. */
  fields?(bits: number, terms: Terms): object;
  /** Returns the response fields that describe an effort challenge. */
  effortFields(
    bits: number,
    terms: Terms | undefined,
  ): { readonly parts: number; readonly part_difficulty: number };
  /** Returns whether a text has the form of a solution. */
  isSolution(text: string): boolean;
  /** Returns whether a text solves a proof of work. */
  solves(work: RecordedWork, text: string): boolean;
  /** Returns whether a text solves an effort challenge. */
  solvesEffort(work: RecordedWork, text: string): boolean;
  /** Prepares the process to verify; missing if nothing needs it. */
  open?(): void;
}
