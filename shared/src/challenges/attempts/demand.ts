// A form's requirements beyond the options, as six bytes in a scope ticket.

import { createHash } from 'node:crypto';
import { ALGORITHMS } from '../../pow/algorithms.js';

/** The requirements of a form on the next work and the next image. */
export interface Demand {
  /** Lowest difficulty of work, in bits; 0 for none. */
  readonly bits: number;
  /** Names of the accepted algorithms of work; null for all. */
  readonly algorithms: readonly string[] | null;
  /** `presetMark` of the preset to issue; null for any. */
  readonly preset: number | null;
}

/** Bytes of an encoded demand: bits (1), algorithms (1), preset (4). */
export const DEMAND_BYTES = 6;

const MARK_AT = 2;

/**
 * Returns the mark of a preset in a ticket: the first 32 bits of the SHA-256 of its name, never 0. A name may have 32
 * characters, but all tickets with requirements have one length.
 */
export function presetMark(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE() || 1;
}

/** Encodes requirements: zero means none, and each algorithm is one bit. */
export function encodeDemand({ bits, algorithms, preset }: Demand): Buffer {
  const bytes = Buffer.alloc(DEMAND_BYTES);
  bytes.writeUInt8(bits, 0);
  const named = ALGORITHMS.map((name, at) => (algorithms?.includes(name) === true ? 1 << at : 0));
  bytes.writeUInt8(
    named.reduce((sum, bit) => sum + bit, 0),
    1,
  );
  bytes.writeUInt32BE(preset ?? 0, MARK_AT);
  return bytes;
}

/** Decodes the result of `encodeDemand`. */
export function decodeDemand(bytes: Buffer): Demand {
  const named = bytes.readUInt8(1);
  const algorithms = ALGORITHMS.filter((_, at) => (named & (1 << at)) !== 0);
  return {
    bits: bytes.readUInt8(0),
    algorithms: algorithms.length === 0 ? null : algorithms,
    preset: bytes.readUInt32BE(MARK_AT) || null,
  };
}
