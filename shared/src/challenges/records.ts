// What the store keeps of a challenge: one line of text a record, fields separated by spaces.

import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';

/** A name that can stand between spaces. */
const Name = Type.String({ pattern: '^[A-Za-z0-9_.@:/-]{1,80}$' });
const Hex = (digits: number) => Type.String({ pattern: `^[0-9a-f]{${digits}}$` });

/** A proof-of-work challenge as it was issued. Difficulties are bits. */
export const PowRecord = Type.Object({
  difficulty: Type.Integer({ minimum: 0, maximum: 256 }),
  /** The configured floor of its time, so that raising the floor later invalidates nothing. */
  floor: Type.Integer({ minimum: 0, maximum: 256 }),
  issuedAtMs: Type.Integer({ minimum: 0 }),
  algorithm: Name,
  keyId: Hex(8),
  salt: Hex(32),
  /** The keyed address that asked; null unless `bind_ip` was on. */
  address: Type.Union([Hex(32), Type.Null()]),
});
export type PowRecord = Static<typeof PowRecord>;

/** An image challenge as it was issued. */
export const ImageRecord = Type.Object({
  issuedAtMs: Type.Integer({ minimum: 0 }),
  preset: Name,
  kind: Name,
  /** The image library with its version: only the same one draws the same bytes. */
  driver: Name,
  seed: Type.Integer({ minimum: 0 }),
  keyId: Hex(8),
  /** Whether capitals count as small letters. */
  fold: Type.Boolean(),
  /** 16 bytes of a keyed hash of the answer. */
  answer: Hex(32),
  address: Type.Union([Hex(32), Type.Null()]),
});
export type ImageRecord = Static<typeof ImageRecord>;

/** The part of a proof-of-work record that is known before the store has priced it. */
export type UnpricedPow = Omit<PowRecord, 'difficulty' | 'issuedAtMs'>;

/** The part of an image record that is known before the store has dated it. */
export type UndatedImage = Omit<ImageRecord, 'issuedAtMs'>;

const NOBODY = '-';
const isPowRecord = TypeCompiler.Compile(PowRecord);
const isImageRecord = TypeCompiler.Compile(ImageRecord);

/** The line of a proof-of-work record from its third field on; the store puts difficulty and time before it. */
export function powLineTail(pow: UnpricedPow): string {
  return `${pow.floor} ${pow.algorithm} ${pow.keyId} ${pow.salt} ${pow.address ?? NOBODY}`;
}

/** Reads a proof-of-work record's line; null for anything else. */
export function parsePowLine(line: string): PowRecord | null {
  const [difficulty, issuedAtMs, floor, algorithm, keyId, salt, address] = line.split(' ');
  const record = {
    difficulty: Number(difficulty),
    issuedAtMs: Number(issuedAtMs),
    floor: Number(floor),
    algorithm,
    keyId,
    salt,
    address: address === NOBODY ? null : address,
  };
  return isPowRecord.Check(record) ? record : null;
}

/** The line of an image record from its second field on; the store puts the time before it. */
export function imageLineTail(image: UndatedImage): string {
  const { preset, kind, driver, seed, keyId, fold, answer, address } = image;
  return `${preset} ${kind} ${driver} ${seed} ${keyId} ${fold ? 1 : 0} ${answer} ${address ?? NOBODY}`;
}

/** Reads an image record's line; null for anything else. */
export function parseImageLine(line: string): ImageRecord | null {
  const [issuedAtMs, preset, kind, driver, seed, keyId, fold, answer, address] = line.split(' ');
  const record = {
    issuedAtMs: Number(issuedAtMs),
    preset,
    kind,
    driver,
    seed: Number(seed),
    keyId,
    fold: fold === '1',
    answer,
    address: address === NOBODY ? null : address,
  };
  return isImageRecord.Check(record) ? record : null;
}
