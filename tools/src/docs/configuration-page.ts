// Generates docs/configuration.md from the schemas that read the environment.
import { Type } from '@sinclair/typebox';
import { ChallengeEnvironment } from '@tollgate/challenge-service/config.js';
import { SessionEnvironment } from '@tollgate/session-service/config.js';
import { variableOf } from '@tollgate/shared/config/captcha-environment.js';
import { fileVariableOf, secretVariablesOf } from '@tollgate/shared/config/secret-files.js';
import { variablesTable } from '@tollgate/shared/config/variables-table.js';
import { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { leavesOf } from '@tollgate/shared/schemas/option-tree.js';
import { completeForLocalUse, type Ports, portVariables } from '../launcher/local-environment.js';

type Environment = Parameters<typeof variablesTable>[0];

const head = '| Variable | Default | Meaning |\n|---|---|---|';
const defaultPorts = Object.fromEntries(
  Object.entries(portVariables).map(([name, [, port]]) => [name, port]),
) as Ports;

const [gatewayPort, usualPort] = portVariables.gateway;

/** The variables of the launcher alone, by name: the default as a table shows it, and the meaning. */
export const launcherVariables: Readonly<Record<string, { byDefault: string; meaning: string }>> = {
  [gatewayPort]: {
    byDefault: `\`${usualPort}\``,
    meaning: 'Port of the local gateway, on 127.0.0.1 and, where the machine has it, ::1; 0 is any free port',
  },
  DEMO_EMAIL: {
    byDefault: `\`${completeForLocalUse({}, defaultPorts).DEMO_EMAIL}\``,
    meaning: 'The demo account, in the embedded directory: made, or its password set again, at each start',
  },
  DEMO_PASSWORD: {
    byDefault: 'random',
    meaning: 'Its password, at least 8 characters; printed at each start',
  },
  DEMO_PASSWORD_FILE: { byDefault: 'none', meaning: 'Path of the file that holds it' },
};

/** The names of all variables that any part of the project reads. */
export function variableNames(): Set<string> {
  const services = [SessionEnvironment, ChallengeEnvironment];
  return new Set([
    ...services.flatMap(({ properties }) => Object.keys(properties)),
    ...services.flatMap(secretVariablesOf).map(fileVariableOf),
    ...Object.keys(launcherVariables),
  ]);
}

/** The text of the page. */
export function configurationPage(): string {
  const challenge = new Set(Object.keys(ChallengeEnvironment.properties));
  const session = new Set(Object.keys(SessionEnvironment.properties));
  const isOption = (name: string) => name.startsWith('CAPTCHA_') && name !== 'CAPTCHA_CACHE_STORE';
  return `# Configuration

<!-- Written by \`npm run docs\` from the schemas in the code. Do not edit. -->

Each service reads its environment once, when it starts. A value that is missing or wrong stops the start with one
line for each mistake. A set variable that no service knows is named in the log if it differs from a known one by a letter. An unset variable and an empty one are the same. A relative path starts from the folder of the project.
Lists are separated by commas; flags are \`true\` or \`false\`.

## Secrets in files

Every variable that holds a secret has another beside it in the tables, with \`_FILE\` after its name: the absolute path of a
file that holds the secret, as Docker, Kubernetes and systemd hand secrets to programs. The services, the commands,
[doctor](operations/doctor.md), \`npm start\` and the plugins of \`@tollgate/fastify\` read it, once, when they start. The file
has one line; line breaks at its end are cut. Both variables set, or a file that is missing, empty or unreadable, stops
the start with one line.

## On one machine

A service that only its own machine can reach starts with less: \`BIND\` and \`PUBLIC_URL\`, if they are set, are loopback
addresses, and \`NODE_ENV\` is not \`production\`. \`PUBLIC_URL\` has a default, \`CHALLENGE_SECRET\` is read from \`secrets.json\` in
\`DATA_DIR\` (created if there is none), and short or guessable secrets are a warning in the log:

\`\`\`sh
ACCESS_SECRET=a REFRESH_SECRET=b ENCRYPTION_KEY=c node services/session-service/dist/src/server.js
\`\`\`

Anywhere else each of them stops the start.

## Both services

${table(SessionEnvironment, (name) => challenge.has(name) && !isOption(name))}

## Both services: the challenges

The plugins of \`@tollgate/fastify\` and the specification call a variable by its option. Both services, and every
host that checks challenges by itself, need the same values. A \`CAPTCHA_\` variable with a name that is not known
stops the start of a service; a host is warned in its log, for it may have such variables of its own.

${challengeTable((name) => challenge.has(name) && isOption(name))}

## The challenge service alone

${table(ChallengeEnvironment, (name) => !session.has(name))}

## The session service alone

${table(SessionEnvironment, (name) => !challenge.has(name))}

The command \`users\` reads \`USERS_URL\` and \`DATA_DIR\` and nothing else; \`session\` reads \`STORE_URL\`, \`DATA_DIR\` and \`AUDIT_TTL\`, \`session account\` also \`CHALLENGE_SECRET\`; \`keys export-access\` reads \`ENCRYPTION_KEY\`, \`keys export-public\` \`ACCESS_SIGNING_KEYS\`, and \`keys status\` the variables
of the store, of the challenges, \`ACCESS_TTL\` and \`REFRESH_TTL\`. \`captcha prune\` reads the variables of the store, \`captcha preview\` and
\`captcha attack\` those and \`CAPTCHA_*\`, \`captcha passes\` those and \`CAPTCHA_CACHE_PREFIX\`.

## \`npm start\`

The launcher hands its own environment on to the services: to the challenge service without \`ACCESS_SECRET\`,
\`ACCESS_SIGNING_KEYS\`, \`REFRESH_SECRET\` and \`ENCRYPTION_KEY\`. These variables are the launcher's own:

${head}
${launcherRows()}

It makes the four secrets and \`DEMO_PASSWORD\`, and with \`ACCESS_TOKEN_FORMAT=public\` also \`ACCESS_SIGNING_KEYS\`, when they are not set, and keeps them in \`secrets.json\` in \`DATA_DIR\` (mode 0600),
whichever store is used. The logs of the services are in \`logs\` in \`DATA_DIR\`:
of each service the current one and the five before (\`.1.log\` is the newest), 10 MiB each at most; every start begins another.
What else it sets when it is not set:

| Variable | Value |
|---|---|
${localRows()}
`;
}

/** The options by variable: `pow.volume.every` by `CAPTCHA_POW_VOLUME_EVERY`. */
const optionOf = new Map(
  leavesOf(CaptchaOptions).map(({ path }) => [variableOf(path.join('.')), path.join('.')]),
);

/** The table of the challenges, with the column of their options. */
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
