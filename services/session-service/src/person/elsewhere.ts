// Data of a person that an export does not contain, and an erasure does not reach.

import { durationOf } from './explanations.js';
import type { Elsewhere } from './person-bodies.js';
import type { PersonPlaces } from './person-places.js';
import type { Purge } from './purge-store.js';

/** What an export or erasure has found. */
interface Found {
  /** Files of the audit stream that could not be searched or changed. */
  readonly closed: readonly string[];
  /** After an erasure: how erased data leaves the files of each store. */
  readonly purges?: readonly Purge[];
  /** After an erasure: whether the directory still has the user. */
  readonly isInDirectory?: boolean;
  /** After an erasure: whether the file of the directory has remains of the user. */
  readonly hasRemains?: boolean;
}

const YOURS = 'Your retention of it.';

/** Returns the remaining data, those with work for the operator first. */
export function elsewhereOf({ settings }: PersonPlaces, found: Found): Elsewhere[] {
  const { accessTtl, refreshTtl, deviceTtl, auditPath } = settings;
  const { closed, purges = [], isInDirectory = false, hasRemains = false } = found;
  return [
    ...(isInDirectory ? [OTHER_DIRECTORY, PROTECTION] : []),
    ...(hasRemains
      ? [
          {
            where: 'file of the user directory',
            what: 'Remains of the deleted account: the file was locked, or its disk is full.',
            until: 'Until you repeat the erasure.',
          },
        ]
      : []),
    ...closed.map((path) => ({
      where: path,
      what: 'Security events: the file is compressed, or this process may not change it.',
      until: 'Until your rotation removes it.',
    })),
    ...[...new Set(purges)].flatMap((purge) => REMAINS[purge] ?? []),
    {
      where: auditPath === undefined ? 'standard output of the services' : 'receivers of the audit stream',
      what: 'Security events with user id, session ids, and keyed hashes of account and address.',
      until: YOURS,
    },
    { where: 'logs of the services', what: 'User ids and session ids.', until: YOURS },
    { where: 'access logs of gateways', what: 'Network addresses and user agents.', until: YOURS },
    {
      where: 'backups',
      what: 'Everything above. Erase the person again after you restore one.',
      until: YOURS,
    },
    {
      where: 'session store',
      what: 'Ids of ended sessions, without a user, so that their access tokens are rejected.',
      until: `${durationOf(accessTtl + 60)} after the end (ACCESS_TTL and a minute).`,
    },
    {
      where: 'challenge store',
      what: 'Counters by keyed hash of an address, open challenges, and failure counters of other applications.',
      until: 'At most 24 hours.',
    },
    {
      where: 'browsers of the person',
      what: 'Encrypted cookies, which name nobody without the keys, and the key of a bound session.',
      until: `${durationOf(refreshTtl)} (REFRESH_TTL) and ${durationOf(deviceTtl)} (DEVICE_TTL) after the last login, or until the browser deletes them.`,
    },
  ];
}

const OTHER_DIRECTORY: Elsewhere = {
  where: 'user directory',
  what: 'The account: USERS_URL names a directory that another program manages.',
  until:
    'Until you delete it there. Then repeat the erasure by id, and by address unless somebody else has it now.',
};

const PROTECTION: Elsewhere = {
  where: 'stores',
  what: 'Failure counters and the void of known devices, which protect the account while it can log in.',
  until: 'Until you repeat the erasure after the deletion; otherwise 24 hours, and 366 days for the void.',
};

const REMAINS: Readonly<Partial<Record<Purge, Elsewhere>>> = {
  locked: {
    where: 'file of the store',
    what: 'Remains of erased entries: the file was locked, or its disk is full.',
    until: 'Until you repeat the erasure.',
  },
  rewriting: {
    where: 'append-only file of Redis',
    what: 'Erased entries. This erasure has started a rewrite.',
    until: 'Until the rewrite ends, usually within a minute; on replicas until their own next rewrite.',
  },
  refused: {
    where: 'append-only file of Redis',
    what: 'Erased entries. Redis did not allow or could not start a rewrite.',
    until: 'Until its next rewrite: run BGREWRITEAOF, or see the provider.',
  },
  snapshot: {
    where: 'snapshots of Redis',
    what: 'Erased entries, if Redis saves snapshots.',
    until: 'Until the next snapshot.',
  },
};
