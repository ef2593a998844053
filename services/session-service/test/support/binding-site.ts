// A service for device binding tests, on every kind of store, with its audit events.

import t, { type Test } from 'tap';
import { type BindingClient, newClient } from './binding-client.js';
import { endSessions, type SessionNode, startNode, userDirectory } from './session-node.js';
import { onSharedServices } from './shared-services.js';

/** The user who logs in. */
export const EMAIL = 'ada@example.com';

type Environment = Readonly<Record<string, string>>;

/** A service with two users, and a client that is not logged in. */
interface Site {
  readonly node: SessionNode;
  readonly client: BindingClient;
  /** The audit events, as `event kind`. */
  readonly events: string[];
  age(ms: number): Promise<void>;
}

const serviceWith = (env: Environment) =>
  onSharedServices(async (root, { store, age, clock }) => {
    const events: string[] = [];
    const onLine = (line: string) => {
      const { type, event, kind } = JSON.parse(line);
      if (type === 'audit') events.push(kind === undefined ? event : `${event} ${kind}`);
    };
    const directory = await userDirectory(root, EMAIL, 'bob@example.com');
    const node = await startNode(root, { store, directory, env, onLine, clock });
    return { node, events, age };
  });

/** The services of this file, by their variables. */
const services = new Map<string, ReturnType<typeof serviceWith>>();

/**
 * Runs a device binding test on every kind of store, on a service without sessions and events.
 * @param env service variables; tests with the same ones share a service, so a test that uses up a limit needs its own
 */
export function onEach(name: string, run: (t: Test, site: Site) => Promise<void>, env: Environment = {}) {
  const key = JSON.stringify(env);
  const onService = services.get(key) ?? serviceWith(env);
  services.set(key, onService);
  return t.test(name, (t) =>
    onService(t, async (t, service) => {
      await endSessions(service.node, 1, 2);
      service.events.length = 0;
      await run(t, { ...service, client: newClient(service.node) });
    }),
  );
}
