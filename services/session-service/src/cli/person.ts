// The command `person`: exports and erases everything that is stored of one person.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Static, Type } from '@sinclair/typebox';
import { createAuditTrail, openAuditSink } from '@tollgate/shared/audit';
import {
  CommandError,
  cacheStoreUrlOf,
  captchaOptionsFrom,
  captchaVariables,
  checkSecrets,
  DeviceVariables,
  HttpVariables,
  isProgram,
  readEnvironment,
  runCommand,
  SecretVariables,
  StoreVariables,
  storeUrlOf,
  UsageError,
  usageErrorOf,
} from '@tollgate/shared/config';
import { openKeyRing } from '@tollgate/shared/crypto';
import { isUserId, readUserId, USER_ID_WORDS } from '@tollgate/shared/schemas';
import { openRevocationLog } from '@tollgate/shared/sessions';
import { type Store, StoreUnavailableError, storeFileMissing } from '@tollgate/shared/store';
import { SessionVariables } from '../config.js';
import { DirectoryUnavailableError, withAccounts } from '../directory/directory.js';
import { openConfiguredDirectory } from '../directory/open-directory.js';
import type { PersonRequest } from '../person/person-bodies.js';
import { erasePerson, foundSomething } from '../person/person-erasure.js';
import { exportPerson, isEmpty } from '../person/person-export.js';
import { type PersonPlaces, personSettings } from '../person/person-places.js';
import { openAccountEvents } from '../stores/account-events.js';
import { openDeviceVoids } from '../stores/device-voids.js';
import { openSessionStore } from '../stores/open-session-store.js';
import { revocationMs } from '../stores/revoker.js';
import { openSignInCodes } from '../stores/sign-in-codes.js';
import { hasControlCharacters } from './email-address.js';
import { challengeSecret, PROJECT_ROOT, withStore } from './service-data.js';

const USAGE = `usage: person export EMAIL|ID [--application NAME]...
       person erase EMAIL|ID [--application NAME]...
export prints everything that is stored of one person, as a JSON document with explanations.
erase ends the sessions of the person and erases all of that; it prints what was erased and what remains elsewhere.
Both find a user who is deleted already: by id, or by address within AUDIT_TTL. EMAIL has an @, an ID has none;
--id takes the argument as an id, --email as an address or another name of the account.
--application adds the failure counters and audit lines of the same address in an application with the guard.
Run it with the environment of session-service. It needs CHALLENGE_SECRET, or that of npm start, and AUDIT_LOG if set.
It ends with 0, with 3 if nothing is stored of the person (as after an erasure), with 1 when a store or the directory does
not respond.`;

const Variables = Type.Object({
  ...StoreVariables,
  ...captchaVariables,
  AUDIT_LOG: HttpVariables.AUDIT_LOG,
  AUDIT_LOG_DAYS: HttpVariables.AUDIT_LOG_DAYS,
  DEVICE_TTL: DeviceVariables.DEVICE_TTL,
  ACCESS_TTL: SessionVariables.ACCESS_TTL,
  REFRESH_TTL: SessionVariables.REFRESH_TTL,
  SESSION_MAX_AGE: SessionVariables.SESSION_MAX_AGE,
  AUDIT_TTL: SessionVariables.AUDIT_TTL,
  USERS_URL: SessionVariables.USERS_URL,
  USERS_BY_EMAIL: SessionVariables.USERS_BY_EMAIL,
  USERS_BY_ID: SessionVariables.USERS_BY_ID,
  USERS_SAVE_HASH: SessionVariables.USERS_SAVE_HASH,
  CHALLENGE_SECRET: Type.Optional(SecretVariables.CHALLENGE_SECRET),
});
type Values = Static<typeof Variables>;

/** The parsed command line. */
interface PersonCommand {
  readonly action: 'export' | 'erase';
  readonly person: PersonRequest;
}

/**
 * Parses the command line.
 * @throws UsageError if it is invalid
 */
function readPersonCommand(args: string[]): PersonCommand {
  const { positionals, values } = parse(args);
  const [action, subject, ...more] = positionals;
  if ((action !== 'export' && action !== 'erase') || subject === undefined || more.length > 0)
    throw new UsageError();
  if (values.id && values.email) throw new UsageError('--id and --email exclude each other');
  const applications = values.application;
  if (values.email || (!values.id && subject.includes('@'))) {
    if (subject.trim() === '' || hasControlCharacters(subject)) throw new UsageError('not an e-mail address');
    return { action, person: { email: subject, applications } };
  }
  const id = readUserId(subject);
  if (!isUserId(id)) throw new UsageError(`a user id is ${USER_ID_WORDS}`);
  return { action, person: { id, applications } };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        id: { type: 'boolean', default: false },
        email: { type: 'boolean', default: false },
        application: { type: 'string', multiple: true, default: [] },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw usageErrorOf(error);
  }
}

/** Runs one command and returns the exit code: 0, 1 if it failed, 2 if the command line is invalid, 3 without data. */
export async function runPerson(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const expected = [StoreUnavailableError, DirectoryUnavailableError];
  return runCommand({ name: 'person', usage: USAGE, args, expected }, async () => {
    const { action, person } = readPersonCommand(args);
    const values = readEnvironment(Variables, env, ({ CHALLENGE_SECRET }) =>
      checkSecrets({ CHALLENGE_SECRET }),
    );
    return withPlaces(values, async (places) => {
      if (action === 'export') {
        const document = await exportPerson(places, person);
        console.log(JSON.stringify(document, null, 2));
        return isEmpty(document) ? 3 : 0;
      }
      const { AUDIT_LOG: path } = values;
      // The standard output has the document.
      const sink = openAuditSink({ path, root: PROJECT_ROOT, output: process.stderr });
      try {
        const trail = createAuditTrail({ service: 'session-service', sink });
        const document = await erasePerson(places, person, trail);
        console.log(JSON.stringify(document, null, 2));
        if (foundSomething(document)) return 0;
        console.error('person: nothing is stored of this person: check the address or the id');
        return 3;
      } finally {
        sink.close();
      }
    });
  });
}

async function withPlaces<T>(values: Values, use: (places: PersonPlaces) => Promise<T>): Promise<T> {
  const ring = openKeyRing(challengeSecret(values));
  const usersUrl = values.USERS_URL ?? `file:${values.DATA_DIR}/users.db`;
  if (storeFileMissing(usersUrl, PROJECT_ROOT))
    throw new CommandError(`there is no ${usersUrl}: set DATA_DIR or USERS_URL`);
  const directory = await openConfiguredDirectory(usersUrl, PROJECT_ROOT, {
    byEmail: values.USERS_BY_EMAIL,
    byId: values.USERS_BY_ID,
    saveHash: values.USERS_SAVE_HASH,
  });
  const auditPath = values.AUDIT_LOG === undefined ? undefined : resolve(PROJECT_ROOT, values.AUDIT_LOG);
  const settings = personSettings(values, captchaOptionsFrom(values), auditPath);
  const onStores = (sessions: Store, challenges: Store) =>
    use({
      directory: withAccounts(directory, () => {}),
      sessions: openSessionStore(sessions),
      deviceVoids: openDeviceVoids(sessions),
      signInCodes: openSignInCodes(sessions),
      accountEvents: openAccountEvents(sessions, 0),
      revoke: (sids) =>
        openRevocationLog(sessions).append({ sids, keepMs: revocationMs(values.ACCESS_TTL * 1000) }),
      stores: { sessions, challenges },
      ring,
      settings,
    });
  const [url, challengeUrl] = [storeUrlOf(values), cacheStoreUrlOf(values)];
  try {
    return await withStore('STORE_URL', url, (sessions) =>
      challengeUrl === url
        ? onStores(sessions, sessions)
        : withStore('CAPTCHA_CACHE_STORE', challengeUrl, (challenges) => onStores(sessions, challenges)),
    );
  } finally {
    await directory.close();
  }
}

if (isProgram(import.meta.url)) {
  process.exitCode = await runPerson(process.argv.slice(2), process.env);
}
