// The device cookie: a login sets it, and later logins of its account show a known device with it.

import { TypeCompiler } from '@sinclair/typebox/compiler';
import { accountSpellings, type KnownDevice } from '@tollgate/shared/challenges';
import { isLoopbackHttp } from '@tollgate/shared/config';
import { cookieValues, createEnvelope, type KeyRing } from '@tollgate/shared/crypto';
import { refuse, StoreUnavailable } from '@tollgate/shared/http';
import { DeviceClaims } from '@tollgate/shared/schemas';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { DirectoryUnavailableError, type DirectoryUser, UnusableUserError } from '../directory/directory.js';
import { type DeviceLogIn, deviceClaims, deviceKey, isForAccount, isVoid } from '../domain/device-claims.js';
import { type CookiePrefix, HOST_PREFIX, pathBelow } from '../domain/presented-cookies.js';
import { deviceVoidsOf } from './dependencies.js';

/** How a device cookie was counted: `void`, or how its attempt counted (`known`, or `spent` for the account). */
export type DeviceOutcome = 'known' | 'spent' | 'void';

/** The options of the plugin. */
interface KnownDeviceOptions {
  readonly cookiePrefix: CookiePrefix;
  readonly publicUrl: string;
  /** The keys of `ENCRYPTION_KEY`. */
  readonly encryptionKeys: KeyRing;
  /** Lifetime of a cookie in seconds; 0 issues and reads none. */
  readonly ttlSeconds: number;
  /** Whether only a login that says "remember me" sets the cookie. */
  readonly isOnlyAsked: boolean;
  /** Failures after which the attempts of a device count for the account. */
  readonly attempts: number;
  readonly countDevice: (outcome: DeviceOutcome) => void;
}

declare module 'fastify' {
  interface FastifyInstance {
    knownDevice: {
      /**
       * Returns the known device of a request for this account; undefined if the request has no cookie of this account or
       * only void ones. It reads the directory and the store only for a cookie of the account.
       * @param account the email address as typed
       * @throws StoreUnavailable, StoreUnavailableError
       */
      find(request: FastifyRequest, account: string): Promise<KnownDevice | undefined>;
      /**
       * Sets the cookie of the device that has logged in.
       * @param remember the field of the login, undefined without one: false may mean a shared device
       */
      remember(reply: FastifyReply, logIn: DeviceLogIn, remember: boolean | undefined): void;
      /** Counts the device cookie of a login. */
      count(outcome: DeviceOutcome): void;
    };
  }
}

async function knownDevice(app: FastifyInstance, options: KnownDeviceOptions): Promise<void> {
  const {
    cookiePrefix: prefix = '',
    publicUrl,
    ttlSeconds,
    isOnlyAsked,
    attempts: budget,
    countDevice,
  } = options;
  const codec = createDeviceCodec(options.encryptionKeys);
  const name = `${prefix}knownDevice`;
  const attributes = {
    path: prefix === HOST_PREFIX ? '/' : pathBelow(publicUrl, '/login'),
    httpOnly: true,
    // WebKit drops `Secure` cookies from a loopback address without TLS.
    secure: !isLoopbackHttp(publicUrl),
    sameSite: 'strict',
    maxAge: ttlSeconds,
    // The sealed text is already percent-encoded.
    encode: (value: string) => value,
  } as const;

  /** Returns the claims of every cookie of this account. Another host of the site may have added cookies. */
  const cookiesOf = ({ headers }: FastifyRequest, account: string): DeviceClaims[] => {
    const values = cookieValues(headers.cookie, name);
    // Cookies of earlier versions may name another spelling than the account key.
    const spellings = values.length === 0 ? [] : accountSpellings(account);
    return values
      .map(codec.open)
      .filter((claims) => claims !== undefined)
      .filter((claims) => spellings.some((key) => isForAccount(claims, key, Date.now(), ttlSeconds)));
  };

  async function findUser(request: FastifyRequest, account: string): Promise<DirectoryUser | undefined> {
    try {
      return await app.directory.findByAccount(account);
    } catch (error) {
      if (error instanceof UnusableUserError) return undefined;
      if (!(error instanceof DirectoryUnavailableError)) throw error;
      request.log.error({ err: error }, 'the directory did not respond');
      throw refuse(StoreUnavailable, { headers: { 'retry-after': 1 } });
    }
  }

  app.decorate('knownDevice', {
    async find(request, account) {
      const cookies = ttlSeconds === 0 ? [] : cookiesOf(request, account);
      if (cookies.length === 0) return undefined;
      const user = await findUser(request, account);
      const latest = user === undefined ? undefined : await deviceVoidsOf(request).read(user.id);
      const [newest] = cookies
        .filter((claims) => user !== undefined && !isVoid(claims, user, latest))
        .toSorted((one, other) => other.issuedAtMs - one.issuedAtMs);
      if (newest !== undefined) return { key: deviceKey(newest), budget };
      countDevice('void');
      return undefined;
    },
    remember(reply, logIn, remember = !isOnlyAsked) {
      if (ttlSeconds === 0 || !remember) return;
      reply.setCookie(name, codec.seal(deviceClaims(logIn, ttlSeconds)), attributes);
    },
    count: countDevice,
  });
}

/** The codec of device cookies. */
interface DeviceCodec {
  /** Returns the text of a cookie with these claims, percent-encoded. */
  seal(claims: DeviceClaims): string;
  /**
   * Returns the claims, or undefined for anything that `seal` did not make with a known key. Their times are not checked.
   */
  open(text: string): DeviceClaims | undefined;
}

const isClaims = TypeCompiler.Compile(DeviceClaims);

/** @param encryptionKeys the keys of `ENCRYPTION_KEY`; the first seals, all open */
export function createDeviceCodec(encryptionKeys: KeyRing): DeviceCodec {
  const envelope = createEnvelope('device', encryptionKeys);
  return {
    seal: (claims) => envelope.seal(JSON.stringify(claims)),
    open(text) {
      const opened = envelope.open(text);
      if (opened === null) return undefined;
      const claims: unknown = JSON.parse(opened);
      return isClaims.Check(claims) ? claims : undefined;
    },
  };
}

/** Decorates the server with `knownDevice`. */
export default fp(knownDevice, {
  name: 'tollgate-known-device',
  fastify: '5.x',
  dependencies: ['tollgate-session-dependencies', 'tollgate-session-cookies'],
});
