// Generates docs/configuration.md from the environment schemas.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Type } from '@sinclair/typebox';
import { environmentWith } from '@tollgate/challenge-service/config.js';
import { loadAllExtensions } from '@tollgate/challenge-service/extensions.js';
import { SessionEnvironment } from '@tollgate/session-service/config.js';
import { fileVariableOf, secretVariablesOf, variableOf } from '@tollgate/shared/config';
import { CaptchaOptions, leavesOf } from '@tollgate/shared/schemas';
import {
  completeForLocalUse,
  type Ports,
  portVariables,
  projectRoot,
} from '../launcher/local-environment.js';
import { variablesTable } from './variables-table.js';

type Environment = Parameters<typeof variablesTable>[0];

const ChallengeEnvironment = environmentWith(await loadAllExtensions());
/** `@tollgate/fastify` does not export it. */
const bearerFile = join(projectRoot, 'packages', 'fastify', 'dist', 'src', 'bearer-environment.js');
const { BearerEnvironment } = (await import(pathToFileURL(bearerFile).href)) as {
  BearerEnvironment: Environment;
};
const head = '| Variable | Default | Meaning |\n|---|---|---|';
const defaultPorts = Object.fromEntries(
  Object.entries(portVariables).map(([name, [, port]]) => [name, port]),
) as Ports;

const [gatewayPort, usualPort] = portVariables.gateway;

/** The launcher's own variables by name: default as shown in a table, and meaning. */
export const launcherVariables: Readonly<Record<string, { byDefault: string; meaning: string }>> = {
  [gatewayPort]: {
    byDefault: `\`${usualPort}\``,
    meaning: 'Port of the local gateway on 127.0.0.1 and ::1; 0 is any free port',
  },
  DEMO_EMAIL: {
    byDefault: `\`${completeForLocalUse({}, defaultPorts).DEMO_EMAIL}\``,
    meaning: 'Demo account in the user file, created or its password reset at each start',
  },
  DEMO_PASSWORD: {
    byDefault: 'random',
    meaning: 'Its password, at least 8 characters; printed at start',
  },
  DEMO_PASSWORD_FILE: { byDefault: 'none', meaning: 'Path of a file with it' },
};

/** Names of all variables that the services and the launcher read. */
export function variableNames(): Set<string> {
  const services = [SessionEnvironment, ChallengeEnvironment];
  return new Set([...services.flatMap(namesIn), ...Object.keys(launcherVariables)]);
}

/** Names of the variables of the bearer guard. */
export function bearerVariableNames(): Set<string> {
  return new Set(namesIn(BearerEnvironment));
}

function namesIn(schema: Environment): string[] {
  return [...Object.keys(schema.properties), ...secretVariablesOf(schema).map(fileVariableOf)];
}

/** The text of the page. */
export function configurationPage(): string {
  const challenge = new Set(Object.keys(ChallengeEnvironment.properties));
  const session = new Set(Object.keys(SessionEnvironment.properties));
  const isOption = (name: string) => name.startsWith('CAPTCHA_') && name !== 'CAPTCHA_CACHE_STORE';
  return `# Configuration

<!-- Written by \`npm run docs\` from the schemas in the code. Do not edit. -->

Services read their environment at start; mistakes stop it, with one line each. A set variable that differs from a known one
by a letter is logged. Empty means unset. Relative paths start in the project folder. Lists are comma-separated; flags are
\`true\` or \`false\`. \`RATE_LIMIT_\` variables count per minute and address unless stated.

## Secrets

\`ACCESS_SECRET\`, \`REFRESH_SECRET\`, \`ENCRYPTION_KEY\` and \`CHALLENGE_SECRET\` have at least 32 random characters
(\`openssl rand -hex 32\`), or are lists of such for [rotation](operations/rotate-keys.md).

Every secret may come from a file of one line, in services, commands and plugins: \`ACCESS_SECRET_FILE\` holds its absolute
path. Setting both variables stops the start.

## Required in production

| Both services | session-service also |
|---|---|
| \`NODE_ENV=production\` | \`ACCESS_SECRET\`, \`REFRESH_SECRET\`, \`ENCRYPTION_KEY\` |
| \`PUBLIC_URL\`, with \`https://\` | \`USERS_URL\`; for PostgreSQL \`USERS_BY_EMAIL\`, \`USERS_BY_ID\` |
| \`CHALLENGE_SECRET\` | \`STORE_URL\` |
| \`CAPTCHA_CACHE_STORE\`, else \`STORE_URL\` is the store of challenges too | |
| \`TRUST_PROXY\`, behind a gateway | |
| \`BIND\`, \`ADMIN_BIND\`, unless the gateway is on the same machine | |

Everything else has a default, or switches on a feature. \`CHALLENGE_SECRET\` and all \`CAPTCHA_\` variables are equal in both
services and in applications with the guard.

## On one machine

If \`BIND\` and \`PUBLIC_URL\` are unset or loopback addresses, and \`NODE_ENV\` is not \`production\`, a service starts with less:

\`\`\`sh
ACCESS_SECRET=a REFRESH_SECRET=b ENCRYPTION_KEY=c node services/session-service/dist/src/server.js
\`\`\`

\`PUBLIC_URL\` has a default, \`CHALLENGE_SECRET\` is read from \`secrets.json\` in \`DATA_DIR\` (created if missing), and weak
values of the four [secrets](#secrets) are only logged. A weak \`HOST_API_KEY\` or \`SESSION_API_KEY\` stops the start.

## Both services

${table(SessionEnvironment, (name) => challenge.has(name) && !isOption(name))}

## Both services: the challenges

The plugins of \`@tollgate/fastify\` also take these as an object \`options\`, under the names of the first column. Unknown \`CAPTCHA_\`
variables stop a service; an application only logs them.

${challengeTable((name) => challenge.has(name) && isOption(name))}

## The challenge service alone

${table(ChallengeEnvironment, (name) => !session.has(name))}

## The session service alone

${table(SessionEnvironment, (name) => !challenge.has(name))}

## Applications

The challenge guard of \`@tollgate/fastify\` reads \`CHALLENGE_SECRET\`, \`STORE_URL\` or \`CAPTCHA_CACHE_STORE\` (one is required), \`ALLOW_EMBEDDED\`,
\`NODE_ENV\`, and [the variables of the challenges](#both-services-the-challenges). Its bearer guard, for [sealed](sessions/verify-tokens.md#fastify) and
[public](sessions/public-tokens.md#fastify) tokens, reads:

${table(BearerEnvironment, () => true)}

\`@tollgate/verify\` and \`@tollgate/session\` have options instead.

## Commands

| Command | Variables |
|---|---|
| \`users\` | \`USERS_URL\`, \`DATA_DIR\`; to end sessions also \`STORE_URL\`, \`ACCESS_TTL\`, \`AUDIT_TTL\` |
| \`session\` | \`STORE_URL\`, \`DATA_DIR\`, \`AUDIT_TTL\`; \`session account\` also \`CHALLENGE_SECRET\` |
| \`person\` | all of session-service: with others an erasure is incomplete |
| \`keys status\` | those of the stores and challenges, \`ACCESS_TTL\`, \`REFRESH_TTL\` |
| \`keys export-access\`, \`keys export-public\` | \`ENCRYPTION_KEY\`, \`ACCESS_SIGNING_KEYS\` |
| \`captcha prune\` | those of the stores |
| \`captcha preview\`, \`captcha attack\` | those of the stores, \`CAPTCHA_*\` |
| \`captcha passes\` | those of the stores, \`CAPTCHA_CACHE_PREFIX\` |

## \`npm start\`

The launcher passes its environment to the services, without the session secrets to challenge-service. Its own variables:

${head}
${launcherRows()}

Unset secrets, \`DEMO_PASSWORD\` and, with \`ACCESS_TOKEN_FORMAT=public\`, \`ACCESS_SIGNING_KEYS\` are created and kept in
\`secrets.json\` in \`DATA_DIR\` (mode 0600). \`logs\` beside it has six logs of at most 10 MiB per service. Also set unless set:

| Variable | Value |
|---|---|
${localRows()}
`;
}

/** Option names by variable: `pow.volume.every` by `CAPTCHA_POW_VOLUME_EVERY`. */
const optionOf = new Map(
  leavesOf(CaptchaOptions).map(({ path }) => [variableOf(path.join('.')), path.join('.')]),
);

/** The challenge table, with the option column. */
function challengeTable(isWanted: (name: string) => boolean): string {
  const rows = Object.entries(SessionEnvironment.properties)
    .filter(([name]) => isWanted(name))
    .map(([name, property]) => {
      const option = optionOf.get(name);
      const cell = option === undefined ? '' : `\`${option}\``;
      return `| ${cell} ${variablesTable(Type.Object({ [name]: property }))}`;
    });
  return ['| Option | Variable | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function table(schema: Environment, isWanted: (name: string) => boolean): string {
  const properties = Object.fromEntries(Object.entries(schema.properties).filter(([name]) => isWanted(name)));
  return `${head}\n${variablesTable({ ...schema, properties })}`;
}

function launcherRows(): string {
  return Object.entries(launcherVariables)
    .map(([name, { byDefault, meaning }]) => `| \`${name}\` | ${byDefault} | ${meaning} |`)
    .join('\n');
}

function localRows(): string {
  const ports = new Set(Object.values(portVariables).map(([variable]) => variable as string));
  return Object.entries(completeForLocalUse({}, defaultPorts))
    .filter(([name]) => !ports.has(name) && !(name in launcherVariables) && name !== 'DATA_DIR')
    .map(([name, value]) => `| \`${name}\` | \`${value}\` |`)
    .join('\n');
}
