// The keys and the records of challenges in the store.

import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { createLruCache } from '../../cache/bounded-maps.js';
import { randomAlphanumerics } from '../../crypto/random.js';
import type { Terms } from '../../pow/algorithm.js';
import { algorithmsByName } from '../../pow/algorithms.js';
import { TOKEN_CHARACTERS } from '../../schemas/names.js';
import type { Scope } from '../attempts/scope-ticket.js';

/** Builds the keys with one prefix (`cache.prefix`). The part in braces is the hash tag of Redis Cluster. */
export interface ChallengeKeys {
  /** A proof-of-work record. */
  pow(token: string): string;
  /** A record of the image endpoint. */
  image(token: string): string;
  /** The receipt of redeemed work. */
  receipt(token: string): string;
  /** Requests of an address for work, for the price by volume. */
  volume(address: string): string;
  /** The account price in bits that an address remembers. */
  price(address: string): string;
  /** Requests of an address, or of one of its networks, in the current minute. */
  limit(kind: 'pow' | 'image', address: string): string;
  /** Times of the failures of an account. */
  failures(account: string): string;
  /** Failures of an account from one address; they delay that pair. */
  wait(account: string, address: string): string;
  /** Exists if a success has recently cleared the volume of an address. */
  cleared(address: string): string;
  /** All passes. */
  readonly passes: string;
  /** Uses of a pass in the current minute. */
  passUses(name: string): string;
  /** Exists if this request has counted for the pass. */
  passClaim(name: string, claim: string): string;
}

/** Addresses with cached keys. */
const MOST_ADDRESSES = 5000;

/** The same for each site, because there may be many. */
const MOST_ADDRESSES_OF_SITE = 500;

/** The keys of an address that each proof of work needs. */
interface AddressKeys {
  readonly volume: string;
  readonly price: string;
  readonly limit: string;
}

/**
 * Returns the keys that begin with `cachePrefix`; `tagOf` returns the slot tag of an address's pseudonym.
 * @param site the key of a site, whose challenges and counters are separate
 */
export function challengeKeys(
  cachePrefix: string,
  tagOf: (address: string) => string,
  site?: string,
): ChallengeKeys {
  const prefix = site === undefined ? cachePrefix : `${cachePrefix}:site:${site}`;
  const record = (kind: string, token: string) =>
    `${prefix}:${kind}:{${token.slice(0, 2)}}:${token.slice(2)}`;
  const counter = (kind: string, address: string) => `${prefix}:${kind}:{${tagOf(address)}}:${address}`;
  const limit = (kind: string, address: string) => `${counter('limit', address)}:${kind}`;
  const known = createLruCache<AddressKeys>(site === undefined ? MOST_ADDRESSES : MOST_ADDRESSES_OF_SITE);
  const ofAddress = (address: string): AddressKeys => {
    let keys = known.get(address);
    if (keys === undefined) {
      keys = {
        volume: counter('vol', address),
        price: counter('price', address),
        limit: limit('pow', address),
      };
      known.set(address, keys);
    }
    return keys;
  };
  return {
    pow: (token) => record('pow', token),
    image: (token) => record('img', token),
    receipt: (token) => record('receipt', token),
    volume: (address) => ofAddress(address).volume,
    price: (address) => ofAddress(address).price,
    limit: (kind, address) => (kind === 'pow' ? ofAddress(address).limit : limit(kind, address)),
    failures: (account) => `${prefix}:fail:{${account}}`,
    wait: (account, address) => `${prefix}:wait:{${account}}:${address}`,
    cleared: (address) => counter('cleared', address),
    passes: `${prefix}:passes:{passes}`,
    passUses: (name) => `${prefix}:pass-uses:{passes}:${name}`,
    passClaim: (name, claim) => `${prefix}:pass-claim:{passes}:${name}:${claim}`,
  };
}

/** Returns the key of the config fingerprint, written by the last process that reported it. */
export function configFingerprintKey(prefix: string): string {
  return `${prefix}:options`;
}

/** Returns the key that the readiness check writes and reads. */
export function readyKey(prefix: string): string {
  return `${prefix}:ready`;
}

/** Makes a token whose record is in the slot of `tag`. */
export function makeToken(tag: string, random?: (size: number) => Uint8Array): string {
  return tag + randomAlphanumerics(TOKEN_CHARACTERS - tag.length, random);
}

/** A name without spaces. */
const Name = Type.String({ pattern: '^[A-Za-z0-9_.@:/-]{1,80}$' });
const Hex = (digits: number) => Type.String({ pattern: `^[0-9a-f]{${digits}}$` });
const Time = Type.Integer({ minimum: 0 });
const Bits = Type.Integer({ minimum: 0, maximum: 256 });
/** The pseudonym of an address, or null if `bind_ip` was off or the address unknown. */
const Address = Type.Union([Hex(32), Type.Null()]);
/** The account of a scope ticket, or null. */
const MaybeScope = Type.Union([Type.Object({ keyId: Hex(8), account: Hex(32) }), Type.Null()]);

/** A proof-of-work challenge. Difficulties are bits. */
export const PowRecord = Type.Object({
  difficulty: Bits,
  issuedAtMs: Time,
  /** The configured floor when it was issued, so that raising the floor later invalidates nothing. */
  floor: Bits,
  algorithm: Name,
  keyId: Hex(8),
  salt: Type.Union([Hex(32), Hex(64)]),
  address: Address,
  scope: MaybeScope,
  /** Missing if the algorithm has none. */
  terms: Type.Optional(Type.Unsafe<Terms>(Type.Array(Type.Integer({ minimum: 1 })))),
});
export type PowRecord = Static<typeof PowRecord>;

/** A challenge of the image endpoint. `rest` belongs to its type. */
export const VerifiedRecord = Type.Object({
  issuedAtMs: Time,
  /** `answer`: one text is right. `verify`: the function of the type decides. */
  verifiedBy: Type.Union([Type.Literal('answer'), Type.Literal('verify')]),
  type: Name,
  /** The preset of a challenge whose type verifies it, if it is not named after the type. */
  preset: Type.Optional(Name),
  keyId: Hex(8),
  address: Address,
  rest: Type.String({ minLength: 1 }),
});
export type VerifiedRecord = Static<typeof VerifiedRecord>;

/** The `rest` of a type with one answer. */
export const AnswerRecord = Type.Object({
  /** Name of the preset with a fingerprint of its content: only the same preset draws the same bytes. */
  preset: Name,
  /** Image library with its version: only the same library draws the same bytes. */
  driver: Name,
  seed: Time,
  /** Whether case is ignored. */
  fold: Type.Boolean(),
  /** 16 bytes of a keyed hash of the answer. */
  answer: Hex(32),
  /** Present if `min_seconds` does not apply. */
  untimed: Type.Optional(Type.Literal(true)),
  /** Present if it is accepted without work (`no_script`). */
  alone: Type.Optional(Type.Literal(true)),
});
export type AnswerRecord = Static<typeof AnswerRecord>;

const NOTHING = '-';
const UNTIMED = 'untimed';
const ALONE = 'alone';
const powRecord = TypeCompiler.Compile(PowRecord);
const verifiedRecord = TypeCompiler.Compile(VerifiedRecord);
const answerRecord = TypeCompiler.Compile(AnswerRecord);

/** Encodes a proof-of-work record from its third field on; the store puts difficulty and time before it. */
export function encodePowTail(pow: Omit<PowRecord, 'difficulty' | 'issuedAtMs'>): string {
  const { floor, algorithm, keyId, salt, address, scope, terms } = pow;
  return `${floor} ${algorithm} ${keyId} ${salt} ${address ?? NOTHING} ${formatScope(scope)}${formatTerms(terms)}`;
}

/** Parses a proof-of-work record; returns null for anything else. */
export function parsePowRecord(text: string): PowRecord | null {
  const [difficulty, issuedAtMs, floor, algorithm, keyId, salt, address, scope, ...terms] = text.split(' ');
  const record = {
    difficulty: Number(difficulty),
    issuedAtMs: Number(issuedAtMs),
    floor: Number(floor),
    algorithm,
    keyId,
    salt,
    address: address === NOTHING ? null : address,
    scope: parseScope(scope),
    ...parseTerms(terms),
  };
  return powRecord.Check(record) && hasValidTerms(record) ? record : null;
}

/** Encodes a record of the image endpoint from its second field on; the store puts the time before it. */
export function encodeVerifiedTail(record: Omit<VerifiedRecord, 'issuedAtMs'>): string {
  const { verifiedBy, type, preset = type, keyId, address, rest } = record;
  return `${verifiedBy} ${preset === type ? type : `${type}+${preset}`} ${keyId} ${address ?? NOTHING} ${rest}`;
}

/** Parses a record of the image endpoint; returns null for anything else. */
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

/** Returns the name of a challenge's preset, or null if the record does not contain it. */
export function presetOf({ verifiedBy, type, preset, rest }: VerifiedRecord): string | null {
  if (verifiedBy === 'verify') return preset ?? type;
  return parseAnswerRecord(rest)?.preset.split('@')[0] ?? null;
}

/** Returns whether a challenge is accepted without work. */
export function isAcceptedAlone({ verifiedBy, rest }: VerifiedRecord): boolean {
  return verifiedBy === 'answer' && parseAnswerRecord(rest)?.alone === true;
}

/** Formats the `rest` of a record whose answer is one text. */
export function formatAnswerRecord(record: AnswerRecord): string {
  const { preset, driver, seed, fold, answer, untimed, alone } = record;
  const words = `${untimed ? ` ${UNTIMED}` : ''}${alone ? ` ${ALONE}` : ''}`;
  return `${preset} ${driver} ${seed} ${fold ? 1 : 0} ${answer}${words}`;
}

/** Parses the result of `formatAnswerRecord`; returns null for anything else. */
export function parseAnswerRecord(rest: string): AnswerRecord | null {
  const [preset, driver, seed, fold, answer, ...words] = rest.split(' ');
  const record = {
    preset,
    driver,
    seed: Number(seed),
    fold: fold === '1',
    answer,
    ...(words.includes(UNTIMED) ? { untimed: true } : {}),
    ...(words.includes(ALONE) ? { alone: true } : {}),
  };
  return answerRecord.Check(record) ? record : null;
}

/** Formats a scope: key id and account joined by a colon, or a dash. */
export function formatScope(scope: Scope | null): string {
  return scope === null ? NOTHING : `${scope.keyId}:${scope.account}`;
}

/** Parses the result of `formatScope`; anything else fails the record's check. */
export function parseScope(
  text: string | undefined,
): { keyId: string | undefined; account: string | undefined } | null | undefined {
  if (text === NOTHING) return null;
  if (text === undefined) return undefined;
  const [keyId, account] = text.split(':');
  return { keyId, account };
}

/** Formats the end of a record of work: nothing without terms. */
export function formatTerms(terms: Terms = []): string {
  return terms.map((term) => ` ${term}`).join('');
}

/** Parses the fields of `formatTerms`; the record's check rejects invalid ones. */
export function parseTerms(fields: readonly string[]): { terms?: Terms } {
  return fields.length === 0 ? {} : { terms: fields.map(Number) };
}

function hasValidTerms({ algorithm, terms }: PowRecord): boolean {
  return terms === undefined || algorithmsByName.get(algorithm)?.areTerms?.(terms) !== false;
}

export const CONSUMED_PREFIX = '!';

/** Encodes a record that `claim` consumed at `atMs`. */
export function encodeConsumedRecord(claim: string, atMs: number, record: string): string {
  return `${CONSUMED_PREFIX}${claim} ${atMs} ${record}`;
}

/** Parses a consumed record; returns null for a record that is not consumed. */
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
