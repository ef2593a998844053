// A service for device binding tests, on every kind of store, with its audit events.

import { eachKind } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { type BindingClient, newClient } from './binding-client.js';
import { type SessionNode, startNode, userDirectory } from './session-node.js';

/** The user who logs in. */
export const EMAIL = 'ada@example.com';

/** A service with two users, and a client that is not logged in. */
interface Site {
  readonly node: SessionNode;
  readonly client: BindingClient;
  /** The audit events, as `event kind`. */
  readonly events: string[];
  age(ms: number): Promise<void>;
}

/**
 * Runs a device binding test on every kind of store.
 * @param env service variables
 */
export function onEach(
  name: string,
  run: (t: Test, site: Site) => Promise<void>,
  env: Record<string, string> = {},
) {
  return t.test(name, (t) =>
    eachKind(t, async (t, { store, age, clock }) => {
      const events: string[] = [];
      const onLine = (line: string) => {
        const { type, event, kind } = JSON.parse(line);
        if (type === 'audit') events.push(kind === undefined ? event : `${event} ${kind}`);
      };
      const directory = await userDirectory(t, EMAIL, 'bob@example.com');
      const node = await startNode(t, { store, directory, env, onLine, clock });
      await run(t, { node, client: newClient(node), events, age });
    }),
  );
}
