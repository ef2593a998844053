// The store of sign-in codes. It has only hashes: a reader of the store cannot exchange a code.

import { createHash } from 'node:crypto';
import { randomAlphanumerics } from '@tollgate/shared/crypto';
import type { UserId } from '@tollgate/shared/schemas';
import {
  type EmbeddedStore,
  listKeys,
  loadScript,
  type RedisClient,
  readAll,
  type Store,
} from '@tollgate/shared/store';
import { CODE_SECONDS, formatSignInCode, parseSignInCode, type SignInCode } from '../domain/sign-in-code.js';
import { CODE_PREFIX, signInCodeKey } from './session-keys.js';

/** Sign-in codes. Every method throws StoreUnavailableError if the store does not respond. */
export interface SignInCodes {
  /** Creates a code, stores its content for `CODE_SECONDS`, and returns the code. */
  create(meaning: Omit<SignInCode, 'createdAtMs'>): Promise<string>;
  /** Returns the content of a code without taking it; undefined if it is unknown, expired or taken. */
  read(code: string): Promise<SignInCode | undefined>;
  /**
   * Takes a code in one atomic step: only one call succeeds.
   * @param origin origin of the page; a code of another origin is unchanged
   */
  take(code: string, origin: string): Promise<SignInCode | undefined>;
  /** The codes of a user, also taken ones that are stored still. Reads all codes. */
  ofUser(uid: UserId): Promise<SignInCode[]>;
  /** Removes the codes of a user, each in one atomic step, and returns how many there were. */
  erase(uid: UserId): Promise<number>;
}

/** Takes the code under a key; returns its content, or null. */
type TakeText = (key: string, origin: string) => Promise<string | null>;

const SCRIPTS = new URL('../../../lua/', import.meta.url);
/** 131 random bits. */
const CODE_CHARACTERS = 22;
const CLAIM_CHARACTERS = 16;
const TAKEN = '!';

/** Opens the store of sign-in codes. */
export function openSignInCodes(store: Store): SignInCodes {
  const takeText = store.kind === 'redis' ? redisTake(store.client) : embeddedTake(store);
  // A code is random and long, so its hash needs neither key nor salt.
  const storedOf = async (uid: UserId) => {
    const keys = await listKeys(store, CODE_PREFIX);
    const read = await readAll(keys, async (key) => ({ key, text: await store.read(key) }));
    return read.flatMap(({ key, text }) => {
      // Once exchanged, a claim precedes it.
      const code = text === undefined ? undefined : parseSignInCode(text.replace(/^!\S+ /, ''));
      return code?.uid === uid ? [{ key, code }] : [];
    });
  };
  const keyOf = (code: string) => signInCodeKey(createHash('sha256').update(code).digest('hex'));
  return {
    async create(meaning) {
      const code = randomAlphanumerics(CODE_CHARACTERS);
      // Before the code exists: a later end of the user's sessions voids it.
      const createdAtMs = await store.timeMs();
      const text = formatSignInCode({ ...meaning, createdAtMs });
      await store.exchange(keyOf(code), text, CODE_SECONDS * 1000);
      return code;
    },
    async read(code) {
      const text = await store.read(keyOf(code));
      return text === undefined || text.startsWith(TAKEN) ? undefined : parseSignInCode(text);
    },
    async take(code, origin) {
      const text = await takeText(keyOf(code), origin);
      return text === null ? undefined : parseSignInCode(text);
    },
    ofUser: async (uid) => (await storedOf(uid)).map(({ code }) => code),
    async erase(uid) {
      const found = await storedOf(uid);
      for (const { key } of found) await store.exchange(key, '', 1);
      return found.length;
    },
  };
}

function redisTake(client: RedisClient): TakeText {
  const takeCode = loadScript<string | null>(client, SCRIPTS, 'sign_in_code_take');
  return (key, origin) => takeCode([key], [randomAlphanumerics(CLAIM_CHARACTERS), origin]);
}

/** A step on this store is never repeated, so it stores no claim and removes the taken code. */
function embeddedTake(store: EmbeddedStore): TakeText {
  return (key, origin) =>
    store.transact((transaction) => {
      const text = transaction.get(key);
      if (text === undefined || parseSignInCode(text).origin !== origin) return null;
      transaction.remove(key);
      return text;
    });
}
