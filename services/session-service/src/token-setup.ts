// Opens the token keys, and reports their ids.

import { publicTokenNames } from '@tollgate/shared/config';
import { type KeyRing, openKeyRing, openSigningKeys, type SigningKeys } from '@tollgate/shared/crypto';
import { ConfigurationError } from '@tollgate/shared/schemas';
import { type KeyReportLog, type ReportedService, reportKeys, type Store } from '@tollgate/shared/store';
import type { TokenOptions } from '@tollgate/shared/tokens';
import type { SessionConfig } from './config.js';
import { acceptedKeys, type KeyLifetimes, type NodeRings, runningKeys } from './domain/key-roll-out.js';

/**
 * Opens the keys of both tokens.
 * @throws ConfigurationError with a line if a signing key is invalid
 */
export function openTokenKeys({ values }: Pick<SessionConfig, 'values'>): TokenOptions {
  const { ACCESS_SECRET, ACCESS_SIGNING_KEYS, ACCESS_TOKEN_FORMAT, ACCESS_TOKEN_CLIENT_ID } = values;
  return {
    accessSecrets: ACCESS_SECRET === undefined ? undefined : openKeyRing(ACCESS_SECRET),
    refreshSecrets: openKeyRing(values.REFRESH_SECRET),
    encryptionKeys: openKeyRing(values.ENCRYPTION_KEY),
    publicTokens:
      ACCESS_SIGNING_KEYS === undefined
        ? undefined
        : {
            ...publicTokenNames(values, values.PUBLIC_URL),
            keys: readSigningKeys(ACCESS_SIGNING_KEYS),
            clientId: ACCESS_TOKEN_CLIENT_ID,
            issued: ACCESS_TOKEN_FORMAT === 'public',
          },
  };
}

/** Opens `ACCESS_SIGNING_KEYS`. @throws ConfigurationError with a line if an element is invalid or duplicate */
export function readSigningKeys(list: string): SigningKeys {
  try {
    return openSigningKeys(list);
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigurationError([`ACCESS_SIGNING_KEYS ${error.message}`]);
    throw error;
  }
}

/**
 * Starts to report the ids of all keys, and the lifetimes of their products. Stop it before you close the store.
 * @returns the ids by variable
 */
export function reportTokenKeys(
  store: Store,
  { accessSecrets, publicTokens, ...rest }: TokenOptions & { readonly challengeSecrets: KeyRing },
  lifetimes: KeyLifetimes,
  log: KeyReportLog,
  service: ReportedService,
): { readonly ids: Readonly<Record<string, string[]>>; stop(): Promise<void> } {
  const format = publicTokens?.issued ? 'public' : 'sealed';
  const rings: NodeRings = { ...rest, accessSecrets, signingKeys: publicTokens?.keys, format };
  const [running, accepted] = [runningKeys(rings), acceptedKeys(rings)];
  const reports = [reportKeys(store, { ...running, lifetimes: { ...lifetimes } }, log, service)];
  // As if by another node: a node creates tokens with all the keys that it reports, or only accepts them.
  if (Object.keys(accepted.ids).length > 0) reports.push(reportKeys(store, accepted, log));
  return {
    ids: { ...running.ids, ...accepted.ids },
    async stop() {
      for (const report of reports) await report.stop();
    },
  };
}
