// The latest request that voided the device cookies of each user.

import type { UserId } from '@tollgate/shared/schemas';
import { loadScript, replyOf, type Store } from '@tollgate/shared/store';
import { type DeviceVoid, nextVoid } from '../domain/device-claims.js';
import { deviceVoidKey } from './session-keys.js';

/** Voids of device cookies. Each method is one atomic step and throws StoreUnavailableError if there is no reply. */
export interface DeviceVoids {
  /**
   * Voids all device cookies of a user that were issued until now.
   * @param exceptSid the session whose device stays known
   */
  void(uid: UserId, exceptSid?: string): Promise<void>;
  /** Returns the latest void; undefined if there was none within the longest lifetime of a device cookie. */
  read(uid: UserId): Promise<DeviceVoid | undefined>;
  /** Removes the void and returns whether there was one. Only for a user who cannot log in again. */
  erase(uid: UserId): Promise<boolean>;
}

const SCRIPTS = new URL('../../../lua/', import.meta.url);

const NO_SESSION = '-';

/** 366 days: a day longer than any device cookie, for clock differences. */
const KEEP_MS = 366 * 86_400_000;

/** Opens the voids on a connected store, which the caller still owns. */
export function openDeviceVoids(store: Store): DeviceVoids {
  if (store.kind === 'embedded') {
    return {
      void: (uid, exceptSid) =>
        store.transact(({ nowMs, get, put }) => {
          const key = deviceVoidKey(uid);
          put(key, formatVoid(nextVoid(parseVoid(get(key)), nowMs, exceptSid)), nowMs + KEEP_MS);
        }),
      read: async (uid) => parseVoid(await store.read(deviceVoidKey(uid))),
      erase: (uid) =>
        store.transact(({ get, remove }) => {
          const isStored = get(deviceVoidKey(uid)) !== undefined;
          remove(deviceVoidKey(uid));
          return isStored;
        }),
    };
  }
  const { client } = store;
  const voidDevices = loadScript<null>(client, SCRIPTS, 'devices_void');
  return {
    async void(uid, exceptSid = NO_SESSION) {
      await voidDevices([deviceVoidKey(uid)], [exceptSid, KEEP_MS]);
    },
    read: async (uid) => parseVoid(await replyOf(client, client.get(deviceVoidKey(uid)))),
    erase: async (uid) => (await replyOf(client, client.del(deviceVoidKey(uid)))) > 0,
  };
}

/** `time session-id`, or `-`; then the void time of the session's own device, if any. */
function formatVoid({ atMs, exceptSid = NO_SESSION, voidUntilMs }: DeviceVoid): string {
  return [atMs, exceptSid, ...(voidUntilMs === undefined ? [] : [voidUntilMs])].join(' ');
}

function parseVoid(text: string | null | undefined): DeviceVoid | undefined {
  if (text === null || text === undefined) return undefined;
  const [atMs, sid, voidUntilMs] = text.split(' ');
  return {
    atMs: Number(atMs),
    exceptSid: sid === NO_SESSION ? undefined : sid,
    ...(voidUntilMs !== undefined && { voidUntilMs: Number(voidUntilMs) }),
  };
}
