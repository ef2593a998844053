// HashWX messages between a page and its workers.

/** A block of nonces of a part, searched with the block's function. */
export interface UnitRequest {
  /** Request id, repeated in each reply. */
  readonly id: number;
  /** 64 hexadecimal digits; SHA-256 requests lack this field. */
  readonly salt: string;
  readonly part: number;
  readonly block: number;
  /** Nonces per block. */
  readonly nonces: number;
  /** Expected hashes per part: the hash of a solution is below 2^64 divided by this number. */
  readonly partHashes: number;
}

/** How functions run: each as a separate module, or interpreted by the static module. */
export type UnitMode = 'compiled' | 'interpreted';

/** Progress of a unit. */
export interface UnitReply {
  readonly id: number;
  /** Hashes tried for this request so far. */
  readonly hashes: number;
  /** Solution of the part. */
  readonly found?: number;
  /** Whether all nonces of the block were tried. */
  readonly isDone?: true;
  /** Null if there is no WebAssembly; then nothing was tried. */
  readonly mode: UnitMode | null;
}
