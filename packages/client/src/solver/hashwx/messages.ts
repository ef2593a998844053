// The messages about HashWX between a page and its workers.

/** A part and a block of nonces to search, with the function of that block. */
export interface UnitRequest {
  /** Unique to the request; every reply repeats it. */
  readonly id: number;
  /** 64 hexadecimal digits; also what tells this request from one for SHA-256. */
  readonly salt: string;
  readonly part: number;
  readonly block: number;
  /** Nonces in a block. */
  readonly nonces: number;
  /** Expected hashes of a part: the hash of a solution is below 2^64 divided by this number. */
  readonly partHashes: number;
}

/** How functions run: each as a module of its own, or on the static module. */
export type UnitMode = 'compiled' | 'interpreted';

/** The progress of a unit. */
export interface UnitReply {
  readonly id: number;
  /** Hashes tried for this request so far. */
  readonly hashes: number;
  /** The number that solves the part. */
  readonly found?: number;
  /** All nonces of the block were tried. */
  readonly isDone?: true;
  /** Null if there is no WebAssembly; then nothing was tried. */
  readonly mode: UnitMode | null;
}
