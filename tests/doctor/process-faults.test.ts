// Doctor on two processes of each service, one or both of which differ: each fault and its message.

import { freePort } from '@tollgate/test-support/free-port.js';
import { PASSWORD } from '@tollgate/test-support/static-directory.js';
import { examine } from '@tollgate/tools/doctor/examine.js';
import { type Environment, projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t from 'tap';
import { runNginxGateway } from '../gateway/gateway-programs.js';
import { type Node, startTwoOfEach } from '../gateway/two-of-each.js';
import { CHEAP } from './examined-system.js';

t.setTimeout(240_000);

const OTHER_KEY = 'another-secret-of-one-process-0123456789';
// Node reads the clock of its Date header where no script can replace it.
const MOVE_CLOCK = `
const { ServerResponse } = process.getBuiltinModule('node:http');
const { now } = Date;
const { writeHead } = ServerResponse.prototype;
Date.now = () => now() + 90_000;
ServerResponse.prototype.writeHead = function (...given) {
  this.setHeader('date', new Date(Date.now()).toUTCString());
  return writeHead.apply(this, given);
};`;
const AHEAD: Environment = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(MOVE_CLOCK)}`,
};

const UNTRUSTING = 'no TRUST_PROXY, although a gateway is in front: all their clients count as one address.';
const REFUSING = "processes reject each other's tokens.";

interface Fault {
  readonly name: string;
  readonly own: Environment;
  readonly sessions?: number;
  readonly challenges?: number;
  /** Doctor's findings about processes, with `…` for addresses. */
  readonly found: readonly string[];
  /** A message that it also prints from outside, without the environment. */
  readonly outside?: RegExp;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'both session-services without TRUST_PROXY',
    own: { TRUST_PROXY: '' },
    sessions: 2,
    found: [`2 of 4 processes (session-service on …; session-service on …) have ${UNTRUSTING}`],
  },
  {
    name: 'one session-service without TRUST_PROXY',
    own: { TRUST_PROXY: '' },
    sessions: 1,
    found: [`1 of 4 processes (session-service on …) has ${UNTRUSTING}`],
  },
  {
    name: 'one challenge-service without TRUST_PROXY',
    own: { TRUST_PROXY: '' },
    challenges: 1,
    found: [`1 of 4 processes (challenge-service on …) has ${UNTRUSTING}`],
  },
  {
    name: 'one challenge-service with another CHALLENGE_SECRET',
    own: { CHALLENGE_SECRET: OTHER_KEY },
    challenges: 1,
    found: [`1 of 4 processes (challenge-service on …) has a different CHALLENGE_SECRET: ${REFUSING}`],
  },
  {
    name: 'one session-service with another CHALLENGE_SECRET',
    own: { CHALLENGE_SECRET: OTHER_KEY },
    sessions: 1,
    found: [`1 of 4 processes (session-service on …) has a different CHALLENGE_SECRET: ${REFUSING}`],
  },
  {
    name: 'one session-service with another ENCRYPTION_KEY',
    own: { ENCRYPTION_KEY: OTHER_KEY },
    sessions: 1,
    found: [`1 of 2 processes (session-service on …) has a different ENCRYPTION_KEY: ${REFUSING}`],
    outside:
      /^6 of 12 requests with the same access token are rejected with 401 \(token_invalid\): session-service processes differ\.$/,
  },
  {
    name: 'one session-service 90 s ahead',
    own: AHEAD,
    sessions: 1,
    found: ['The clock of session-service on … is 90 s ahead of that of its store.'],
    outside: /^The clocks of session-service processes differ by about (?:89|90) s\.$/,
  },
  {
    name: 'one challenge-service 90 s ahead',
    own: AHEAD,
    challenges: 1,
    found: ['The clock of challenge-service on … is 90 s ahead of that of its store.'],
    outside: /^The clocks of challenge-service processes differ by about (?:89|90) s\.$/,
  },
];

/** Its other messages: about the gateway, and the environment. */
const BLAMING_OTHERS = /^A new access token is rejected|this is not its environment/;

const GOOD = ['4 processes report the same secrets and synchronized clocks.'];

t.test('faults of single processes are found and explained, without false findings', async (t) => {
  const port = await freePort();
  const publicUrl = `http://localhost:${port}`;
  const { sessions, challenges, env } = await startTwoOfEach(t, {
    ...CHEAP,
    DRAIN_SECONDS: '0',
    PUBLIC_URL: publicUrl,
  });
  const upstreams = { sessions: sessions.map(({ at }) => at), challenges: challenges.map(({ at }) => at) };
  // Lets process clocks be seen from outside, as behind gateways that set no Date.
  await runNginxGateway(t, { port, ...upstreams }, (text) => `proxy_pass_header Date;\n${text}`);
  const look = async () => {
    const { findings } = await examine({
      publicUrl,
      challengePrefix: 'api/captcha',
      pageOrigin: publicUrl,
      account: { email: 'user1@example.com', password: PASSWORD },
      fields: { token: 'pow_token', nonce: 'pow_nonce' },
      env,
      root: projectRoot,
    });
    const about = findings.filter(({ check }) => check.startsWith('process'));
    return {
      ofProcesses: about.map(({ message }) => message.replaceAll(/ on [^;()]+?, process \d+/g, ' on …')),
      problems: findings.filter(({ severity }) => severity === 'problem').map(({ message }) => message),
    };
  };

  t.strictSame(await look(), { ofProcesses: GOOD, problems: [] }, 'without a fault');
  let before: readonly Node[] = [];
  for (const {
    name,
    own,
    sessions: ofSessions = 0,
    challenges: ofChallenges = 0,
    found,
    outside,
  } of FAULTS) {
    const nodes = [...sessions.slice(0, ofSessions), ...challenges.slice(0, ofChallenges)];
    const mended = before.filter((node) => !nodes.includes(node));
    await Promise.all([...nodes.map((node) => node.restart(own)), ...mended.map((node) => node.restart())]);
    const { ofProcesses, problems } = await look();
    t.strictSame(ofProcesses, found, name);
    if (outside !== undefined)
      t.ok(
        problems.some((message) => outside.test(message)),
        problems.join('\n'),
      );
    t.notOk(problems.some((message) => BLAMING_OTHERS.test(message)));
    before = nodes;
  }
  await Promise.all(before.map((node) => node.restart()));
  t.strictSame(await look(), { ofProcesses: GOOD, problems: [] }, 'after a rollout');

  await sessions[0]?.restart({ ...AHEAD, TRUST_PROXY: '', ENCRYPTION_KEY: OTHER_KEY });
  await sessions[0]?.kill();
  t.strictSame(
    await look(),
    { ofProcesses: ['3 processes report the same secrets and synchronized clocks.'], problems: [] },
    'a killed process does not count',
  );
});
