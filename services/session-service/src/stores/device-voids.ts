// The latest request that voided the device cookies of each user.

import type { UserId } from '@tollgate/shared/schemas/user-id.js';
import type { Store } from '@tollgate/shared/store/open-store.js';
import { loadScript, replyOf } from '@tollgate/shared/store/redis-script.js';
import type { DeviceVoid } from '../domain/device-claims.js';
import { deviceVoidKey } from './session-keys.js';

/** Voids of device cookies. Both methods are one atomic step and throw StoreUnavailableError if there is no reply. */
export interface DeviceVoids {
  /**
   * Voids all device cookies of a user that were issued until now.
   * @param exceptSid the session whose device stays known
   */
  void(uid: UserId, exceptSid?: string): Promise<void>;
  /** Returns the latest void; undefined if there was none within the longest life of a device cookie. */
  read(uid: UserId): Promise<DeviceVoid | undefined>;
}

const SCRIPTS = new URL('../../../lua/', import.meta.url);

const NO_SESSION = '-';

/** 366 days: a day longer than any device cookie lives, for clocks that differ. */
const KEEP_MS = 366 * 86_400_000;

/** Opens the voids on a connected store, which the caller still owns. */
export function openDeviceVoids(store: Store): DeviceVoids {
  if (store.kind === 'embedded') {
    return {
      void: (uid, exceptSid = NO_SESSION) =>
        store.transact(({ nowMs, put }) => put(deviceVoidKey(uid), `${nowMs} ${exceptSid}`, nowMs + KEEP_MS)),
      read: async (uid) => parseVoid(await store.read(deviceVoidKey(uid))),
    };
  }
  const { client } = store;
  const voidDevices = loadScript<null>(client, SCRIPTS, 'devices_void');
  return {
    async void(uid, exceptSid = NO_SESSION) {
      await voidDevices([deviceVoidKey(uid)], [exceptSid, KEEP_MS]);
    },
    read: async (uid) => parseVoid(await replyOf(client, client.get(deviceVoidKey(uid)))),
  };
}

function parseVoid(text: string | null | undefined): DeviceVoid | undefined {
  if (text === null || text === undefined) return undefined;
  const [atMs, sid] = text.split(' ');
  return { atMs: Number(atMs), exceptSid: sid === NO_SESSION ? undefined : sid };
}
