// A service for device binding tests, on every kind of store, with its audit events.

import { raiseCommandTimeout } from '@tollgate/test-support/command-timeout.js';
import { embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { type BindingClient, newClient } from './binding-client.js';
import { type SessionNode, startNode, userDirectory } from './session-node.js';

/** The user who logs in. */
export const EMAIL = 'ada@example.com';

type Environment = Readonly<Record<string, string>>;

/** A service with two users. */
interface Service {
  readonly node: SessionNode;
  /** The audit events, as `event kind`. */
  readonly events: string[];
  age(ms: number): Promise<void>;
}

/** A service, and a client that is not logged in. */
interface Site extends Service {
  readonly client: BindingClient;
}

const STORES = {
  'on Redis': () => redisStore(t, raiseCommandTimeout),
  'on the embedded store': async () => embeddedStore(t),
};

async function open(kind: keyof typeof STORES, env: Environment): Promise<Service> {
  const { store, age, clock } = await STORES[kind]();
  const events: string[] = [];
  const onLine = (line: string) => {
    const { type, event, kind } = JSON.parse(line);
    if (type === 'audit') events.push(kind === undefined ? event : `${event} ${kind}`);
  };
  const directory = await userDirectory(t, EMAIL, 'bob@example.com');
  const node = await startNode(t, { store, directory, env, onLine, clock });
  return { node, events, age };
}

/** The services of this file, by store and variables: a start takes longer than most tests. */
const services = new Map<string, Promise<Service>>();

/** A service without sessions and events. */
async function emptied(kind: keyof typeof STORES, env: Environment): Promise<Service> {
  const name = `${kind} ${JSON.stringify(env)}`;
  const opened = services.get(name) ?? open(kind, env);
  services.set(name, opened);
  const service = await opened;
  const { sessions } = service.node;
  for (const uid of [1, 2]) {
    const listed = await sessions.list(uid);
    await sessions.endListed(
      uid,
      listed.map(({ sid }) => sid),
    );
  }
  service.events.length = 0;
  return service;
}

/**
 * Runs a device binding test on every kind of store.
 * @param env service variables; tests with the same ones share a service, so a test that uses up a limit needs its own
 */
export function onEach(name: string, run: (t: Test, site: Site) => Promise<void>, env: Environment = {}) {
  return t.test(name, async (t) => {
    for (const kind of ['on Redis', 'on the embedded store'] as const) {
      await t.test(kind, async (t) => {
        const service = await emptied(kind, env);
        await run(t, { ...service, client: newClient(service.node) });
      });
    }
  });
}
