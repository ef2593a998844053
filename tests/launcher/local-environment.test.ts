// The settings of a local system: ports from the environment, defaults for one machine.
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import {
  completeForLocalUse,
  environmentFor,
  projectRoot,
  readPorts,
} from '@tollgate/tools/launcher/local-environment.js';
import t from 'tap';

const usualPorts = {
  gateway: 8080,
  session: 3001,
  sessionAdmin: 9001,
  challenge: 3002,
  challengeAdmin: 9002,
};

t.test('ports have their documented defaults and come from their variables', async (t) => {
  t.same(readPorts({}), usualPorts);
  t.same(readPorts({ GATEWAY_PORT: '0', SESSION_PORT: '', CHALLENGE_ADMIN_PORT: '1234' }), {
    ...usualPorts,
    gateway: 0,
    challengeAdmin: 1234,
  });
});

t.test('every invalid port gets a line', async (t) => {
  t.throws(() => readPorts({ GATEWAY_PORT: 'http', SESSION_PORT: '65536', CHALLENGE_PORT: '-1' }), {
    name: 'StartError',
    message: ['GATEWAY_PORT', 'SESSION_PORT', 'CHALLENGE_PORT']
      .map((name) => `${name} must be a whole number from 0 to 65535.`)
      .join('\n'),
  });
});

t.test('a port in use is reported with its variable, and so is a port set twice', async (t) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  await t.rejects(settlePorts({ ...ANY_PORTS, session: port }), {
    name: 'StartError',
    message: `Port ${port} is in use; set SESSION_PORT to another one, or stop the program that uses it.`,
  });
  const free = (await settlePorts(ANY_PORTS)).gateway;
  await t.rejects(settlePorts({ ...ANY_PORTS, gateway: free, challenge: free }), {
    message: `GATEWAY_PORT and CHALLENGE_PORT are both ${free}.`,
  });
});

t.test('0 becomes five different free ports', async (t) => {
  const ports = Object.values(await settlePorts(ANY_PORTS));
  t.equal(new Set(ports).size, 5);
  for (const port of ports) t.ok(port >= 20_000 && port < 32_000);
});

t.test('defaults for one machine are added, and the environment takes precedence', async (t) => {
  t.match(completeForLocalUse({}, usualPorts), {
    PUBLIC_URL: 'http://localhost:8080',
    TRUST_PROXY: 'loopback',
    DRAIN_SECONDS: '0',
    DATA_DIR: join(projectRoot, 'data'),
    SESSION_PORT: '3001',
  });
  t.match(completeForLocalUse({ DRAIN_SECONDS: '3', TRUST_PROXY: '', DATA_DIR: 'x/y' }, usualPorts), {
    DRAIN_SECONDS: '3',
    TRUST_PROXY: 'loopback',
    DATA_DIR: join(projectRoot, 'x', 'y'),
  });
});

t.test('a service does not get the secrets of the other one', async (t) => {
  const all = {
    CHALLENGE_SECRET: 'c',
    ACCESS_SECRET: 'a',
    REFRESH_SECRET: 'r',
    ENCRYPTION_KEY: 'e',
    DEMO_PASSWORD: 'd',
  };
  t.same(environmentFor('challenge-service', all), { CHALLENGE_SECRET: 'c' });
  const { DEMO_PASSWORD: _demo, ...tokens } = all;
  t.same(environmentFor('session-service', all), tokens);
  const keys = { HOST_API_KEY: 'h', HOST_API_KEYS: 'a:b', SESSION_API_KEY: 's' };
  t.same(environmentFor('challenge-service', keys), { HOST_API_KEY: 'h', HOST_API_KEYS: 'a:b' });
  t.same(environmentFor('session-service', keys), { SESSION_API_KEY: 's' });
  const files = { CHALLENGE_SECRET_FILE: '/c', ACCESS_SECRET_FILE: '/a', DEMO_PASSWORD_FILE: '/d' };
  t.same(environmentFor('challenge-service', files), { CHALLENGE_SECRET_FILE: '/c' });
});
