// What the store keeps of a challenge: one line of text a record, fields separated by spaces.

import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { Scope } from '../attempts/scope-ticket.js';

/** A name that can stand between spaces. */
const Name = Type.String({ pattern: '^[A-Za-z0-9_.@:/-]{1,80}$' });
const Hex = (digits: number) => Type.String({ pattern: `^[0-9a-f]{${digits}}$` });
const Time = Type.Integer({ minimum: 0 });
const Bits = Type.Integer({ minimum: 0, maximum: 256 });
/** A keyed address, or null: `bind_ip` was off, or the address unknown. */
const Address = Type.Union([Hex(32), Type.Null()]);
/** The account that a scope ticket named, or null. */
const MaybeScope = Type.Union([Type.Object({ keyId: Hex(8), account: Hex(32) }), Type.Null()]);

/** A proof-of-work challenge as it was issued. Difficulties are bits. */
export const PowRecord = Type.Object({
  difficulty: Bits,
  issuedAtMs: Time,
  /** The configured floor of its time, so that raising the floor later invalidates nothing. */
  floor: Bits,
  algorithm: Name,
  keyId: Hex(8),
  salt: Hex(32),
  address: Address,
  scope: MaybeScope,
});
export type PowRecord = Static<typeof PowRecord>;

/** What every challenge on the image endpoint has, whatever its kind; `rest` is the kind's own. */
export const VerifiedRecord = Type.Object({
  issuedAtMs: Time,
  /** `answer`: one text is right. `verify`: the kind's own function decides. */
  verifiedBy: Type.Union([Type.Literal('answer'), Type.Literal('verify')]),
  type: Name,
  /** The preset of a challenge whose type verifies it, if it is not named after the type. */
  preset: Type.Optional(Name),
  keyId: Hex(8),
  address: Address,
  rest: Type.String({ minLength: 1 }),
});
export type VerifiedRecord = Static<typeof VerifiedRecord>;

/** The own part of a kind whose answer is one text. */
export const AnswerRecord = Type.Object({
  /** Its name, with a fingerprint of what it says: only the same one draws the same bytes. */
  preset: Name,
  /** What draws the image, with its version: only the same one draws the same bytes. */
  driver: Name,
  seed: Time,
  /** Whether capitals count as small letters. */
  fold: Type.Boolean(),
  /** 16 bytes of a keyed hash of the answer. */
  answer: Hex(32),
  /** There when `min_seconds` does not apply. */
  untimed: Type.Optional(Type.Literal(true)),
});
export type AnswerRecord = Static<typeof AnswerRecord>;

const NOTHING = '-';
const UNTIMED = 'untimed';
const powRecord = TypeCompiler.Compile(PowRecord);
const verifiedRecord = TypeCompiler.Compile(VerifiedRecord);
const answerRecord = TypeCompiler.Compile(AnswerRecord);

/** The line of a proof-of-work record from its third field on; the store puts difficulty and time before it. */
export function encodePowTail(pow: Omit<PowRecord, 'difficulty' | 'issuedAtMs'>): string {
  const { floor, algorithm, keyId, salt, address, scope } = pow;
  return `${floor} ${algorithm} ${keyId} ${salt} ${address ?? NOTHING} ${formatScope(scope)}`;
}

/** Reads a proof-of-work record's line; null for anything else. */
export function parsePowRecord(text: string): PowRecord | null {
  const [difficulty, issuedAtMs, floor, algorithm, keyId, salt, address, scope] = text.split(' ');
  const record = {
    difficulty: Number(difficulty),
    issuedAtMs: Number(issuedAtMs),
    floor: Number(floor),
    algorithm,
    keyId,
    salt,
    address: address === NOTHING ? null : address,
    scope: parseScope(scope),
  };
  return powRecord.Check(record) ? record : null;
}

/** The line of a record of the image endpoint from its second field on; the store puts the time before it. */
export function encodeVerifiedTail(record: Omit<VerifiedRecord, 'issuedAtMs'>): string {
  const { verifiedBy, type, preset = type, keyId, address, rest } = record;
  return `${verifiedBy} ${preset === type ? type : `${type}+${preset}`} ${keyId} ${address ?? NOTHING} ${rest}`;
}

/** Reads the line of a record of the image endpoint; null for anything else. */
export function parseVerifiedRecord(text: string): VerifiedRecord | null {
  const [issuedAtMs, verifiedBy, typeAndPreset = '', keyId, address, ...rest] = text.split(' ');
  const [type, preset] = typeAndPreset.split('+');
  const record = {
    issuedAtMs: Number(issuedAtMs),
    verifiedBy,
    type,
    ...(preset === undefined ? {} : { preset }),
    keyId,
    address: address === NOTHING ? null : address,
    rest: rest.join(' '),
  };
  return verifiedRecord.Check(record) ? record : null;
}

/** The name of the preset that a challenge was issued with; null when the record does not say. */
export function presetOf({ verifiedBy, type, preset, rest }: VerifiedRecord): string | null {
  if (verifiedBy === 'verify') return preset ?? type;
  return parseAnswerRecord(rest)?.preset.split('@')[0] ?? null;
}

/** The `rest` of a record whose answer is one text. */
export function formatAnswerRecord({ preset, driver, seed, fold, answer, untimed }: AnswerRecord): string {
  return `${preset} ${driver} ${seed} ${fold ? 1 : 0} ${answer}${untimed ? ` ${UNTIMED}` : ''}`;
}

/** Reads what `formatAnswerRecord` wrote; null for anything else. */
export function parseAnswerRecord(rest: string): AnswerRecord | null {
  const [preset, driver, seed, fold, answer, word] = rest.split(' ');
  const untimed = word === UNTIMED ? { untimed: true } : {};
  const record = { preset, driver, seed: Number(seed), fold: fold === '1', answer, ...untimed };
  return answerRecord.Check(record) ? record : null;
}

/** A scope as it stands in a line: key id and account joined by a colon, or a dash. */
export function formatScope(scope: Scope | null): string {
  return scope === null ? NOTHING : `${scope.keyId}:${scope.account}`;
}

/** Reads what `formatScope` wrote; what is no scope fails the check of its record. */
export function parseScope(text: string | undefined): Partial<Scope> | null | undefined {
  if (text === undefined || text === NOTHING) return text === undefined ? undefined : null;
  const [keyId, account] = text.split(':');
  return { ...(keyId === undefined ? {} : { keyId }), ...(account === undefined ? {} : { account }) };
}

export const CONSUMED_PREFIX = '!';

/** The line of a record that `claim` spent at `atMs`. */
export function encodeConsumedRecord(claim: string, atMs: number, record: string): string {
  return `${CONSUMED_PREFIX}${claim} ${atMs} ${record}`;
}

/** What a spent line holds, or null for a line that is not spent. */
export function parseConsumedRecord(
  text: string,
): { claim: string; takenAtMs: number; record: string } | null {
  if (!text.startsWith(CONSUMED_PREFIX)) return null;
  const claimEnd = text.indexOf(' ');
  const timeEnd = text.indexOf(' ', claimEnd + 1);
  return {
    claim: text.slice(CONSUMED_PREFIX.length, claimEnd),
    takenAtMs: Number(text.slice(claimEnd + 1, timeEnd)),
    record: text.slice(timeEnd + 1),
  };
}
