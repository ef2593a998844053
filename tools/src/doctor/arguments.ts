// Reads doctor's command line.

import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { hasControlCharacters } from '@tollgate/session-service/cli/email-address.js';
import { checkCorsOrigin, checkPublicUrl, UsageError, usageErrorOf } from '@tollgate/shared/config';

export const USAGE = `usage: doctor [PUBLIC_URL] [--email EMAIL] [--origin ORIGIN] [--prefix PATH] [--connect ADDRESS] [--json]
Checks an installation through its public address: logs in, refreshes and logs out, and reports problems with remedies.
  PUBLIC_URL          public address; default: the variable PUBLIC_URL, or the running system of npm start
  --email EMAIL       account for the login; prompts for its password, or reads the first line of stdin
  --origin ORIGIN     origin of the application's pages; default: CORS_ORIGIN
  --prefix PATH       challenge path; default: CAPTCHA_ROUTES_PREFIX
  --connect ADDRESS   connects to this IP address in place of DNS resolution
  --json              prints one object on one line`;

type Environment = Readonly<Record<string, string | undefined>>;

/** The target, and the report format. */
export interface DoctorArguments {
  readonly publicUrl: string;
  readonly email: string | undefined;
  /** Of the application's pages; undefined if neither the command line nor `CORS_ORIGIN` names it. */
  readonly origin: string | undefined;
  readonly prefix: string | undefined;
  readonly connect: string | undefined;
  readonly json: boolean;
}

/** The public address on the command line, if there is one. @throws UsageError if the command line is invalid */
export function namedAddress(args: string[]): string | undefined {
  return parse(args).positionals[0];
}

/** Reads the command line; the environment completes it. @throws UsageError if it is invalid */
export function readDoctorArguments(args: string[], env: Environment): DoctorArguments {
  const { values, positionals } = parse(args);
  const [given, ...more] = positionals;
  const publicUrl = given ?? env.PUBLIC_URL ?? '';
  if (more.length > 0) throw new UsageError();
  if (publicUrl === '') {
    throw new UsageError(
      `no address: name one or set PUBLIC_URL; npm start is not running on DATA_DIR (${env.DATA_DIR || 'data'})`,
    );
  }
  const origin = values.origin ?? (env.CORS_ORIGIN || undefined);
  const [mistake] = [...checkPublicUrl({ PUBLIC_URL: publicUrl }), ...checkCorsOrigin(origin)];
  if (mistake !== undefined) {
    throw new UsageError(
      values.origin === undefined ? mistake : mistake.replace(/^CORS_ORIGIN /, '--origin '),
    );
  }
  if (hasControlCharacters(values.email ?? '')) throw new UsageError('--email is not an email address');
  if (values.connect !== undefined && isIP(values.connect) === 0) {
    throw new UsageError('--connect must be an IP address');
  }
  const prefix = values.prefix?.replace(/^\/+|\/+$/g, '');
  return {
    publicUrl,
    email: values.email || undefined,
    origin,
    prefix,
    connect: values.connect,
    json: values.json,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        email: { type: 'string' },
        origin: { type: 'string' },
        prefix: { type: 'string' },
        connect: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw usageErrorOf(error);
  }
}
