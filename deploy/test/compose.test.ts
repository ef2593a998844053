// The Compose file: each container is given what it reads of `.env`, and nothing else.
import { ChallengeEnvironment } from '@tollgate/challenge-service/config.js';
import { SessionEnvironment } from '@tollgate/session-service/config.js';
import t from 'tap';
import { readProjectFile } from './docs/project-file.js';

const compose = readProjectFile('docker-compose.yml');

/** Set by the images. */
const OF_IMAGES = ['NODE_ENV', 'BIND', 'DATA_DIR'];
/** A container has its addresses to itself, so these stay as they are. */
const PORTS = ['SESSION_PORT', 'SESSION_ADMIN_PORT', 'CHALLENGE_PORT', 'CHALLENGE_ADMIN_PORT'];
/** Decided by the other containers and networks of the file. */
const OF_THE_FILE = ['ADMIN_BIND', 'ALLOW_EMBEDDED', 'CAPTCHA_CACHE_STORE', 'STORE_URL', 'TRUST_PROXY'];

/** The lines of a block mapping of the file with their values, from its head on; an empty text is no value. */
function mapping(text: string, head: string): Map<string, string> {
  const [, block = ''] = text.split(`${head}\n`);
  const indent = /^ */.exec(block)?.[0] ?? '';
  const variables = new Map<string, string>();
  for (const line of block.split('\n')) {
    if (!line.startsWith(indent) || line === '') break;
    const [, name, value = ''] = /^ *([A-Z_0-9]+):(?: (.+))?$/.exec(line) ?? [];
    if (name !== undefined) variables.set(name, value);
  }
  return variables;
}

function variablesOf(service: string): Map<string, string> {
  const [, definition = ''] = compose.split(`\n  ${service}:\n`);
  const own = mapping(definition, '    environment:');
  const [block = ''] = (definition.split('    environment:\n')[1] ?? '').split('\n');
  const common = block.trim() === '<<: *environment' ? mapping(compose, 'x-environment: &environment') : [];
  return new Map([...common, ...own]);
}

for (const [service, { properties }] of [
  ['session-service', SessionEnvironment],
  ['challenge-service', ChallengeEnvironment],
] as const) {
  t.test(`${service} is given every variable that it reads, and no other`, async (t) => {
    const isElsewhere = (name: string) =>
      OF_IMAGES.includes(name) ||
      PORTS.includes(name) ||
      (name === 'ALLOW_EMBEDDED' && service === 'challenge-service');
    const read = Object.keys(properties).filter((name) => !isElsewhere(name));
    t.strictSame([...variablesOf(service).keys()].sort(), read.sort());
  });

  t.test(`what the file does not decide itself, ${service} has from .env under the same name`, async (t) => {
    for (const [name, value] of variablesOf(service)) {
      if (OF_THE_FILE.includes(name)) t.match(value, /^[^$]+$/, name);
      else t.ok(value === '' || /^\$\{([A-Z_0-9]+):[-?]/.exec(value)?.[1] === name, name);
    }
  });
}

t.test('the gateway is given the path of the challenges, never empty, and no secret', async (t) => {
  t.strictSame(Object.fromEntries(variablesOf('gateway')), {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as Compose writes it
    PUBLIC_URL: '${PUBLIC_URL:?set PUBLIC_URL in .env}',
    CAPTCHA_ROUTES_PREFIX: `\${CAPTCHA_ROUTES_PREFIX:-${SessionEnvironment.properties.CAPTCHA_ROUTES_PREFIX.default}}`,
  });
});
