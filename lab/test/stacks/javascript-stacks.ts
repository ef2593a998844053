// Applications of docs/examples in JavaScript, installed as by a reader, behind one address with the services.

import { hash } from 'node:crypto';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { startHostedSystem } from '@tollgate/tests/examples/hosts.js';
import type { Test } from 'tap';
import { buildExample, type InstalledExample, installExample, startExample } from './example.js';
import { startGateway } from './gateway.js';
import { pageVariables, visitOrders } from './orders.js';
import { type Form, visitForm } from './visits.js';

interface Stack extends Partial<Form> {
  /** Its folder in docs/examples. */
  readonly example: string;
  /** Also has a page for logged-in users. */
  readonly hasOrders?: boolean;
  /** Starts it in another way than its script `start`. */
  readonly start?: typeof startExample;
}

const statuses = { rejected: 422, unavailable: 503 };
const SECRET = 'the-secret-of-the-shop-000000000000000000';

/** Visits the applications in a browser, each in a test of its name. */
export async function visitStacks(t: Test, stacks: Readonly<Record<string, Stack>>): Promise<void> {
  const gateway = await startGateway(t);
  const system = await startHostedSystem(t, {
    PUBLIC_URL: gateway.address,
    SITES: JSON.stringify({ shop: { secret_sha256: hash('sha256', SECRET), hostnames: ['localhost'] } }),
    CAPTCHA_POW_VOLUME_STEP: '0',
    RATE_LIMIT_POW: '1000',
    RATE_LIMIT_ISSUE: '1000',
    ...pageVariables,
  });
  gateway.serveSystem(system.ports);
  const sessionUrl = `http://127.0.0.1:${system.ports.session}`;
  const variables = {
    HOST_API_URL: gateway.address,
    HOST_API_KEY: system.hostKey,
    PUBLIC_URL: gateway.address,
    SESSION_URL: sessionUrl,
    TOLLGATE_URL: gateway.address,
    TOLLGATE_SECRET: SECRET,
    NUXT_HOST_API_URL: gateway.address,
    NUXT_HOST_API_KEY: system.hostKey,
    NUXT_PUBLIC_URL: gateway.address,
    NUXT_SESSION_URL: sessionUrl,
    PROTOCOL_HEADER: 'x-forwarded-proto',
    HOST_HEADER: 'x-forwarded-host',
  };
  const browser = await launchBrowser();
  t.teardown(() => browser.close());

  const prepared = new Map<string, Promise<InstalledExample>>();

  /** Installs and builds an example, once. */
  function prepare(example: string): Promise<InstalledExample> {
    const preparing = prepared.get(example) ?? installExample(t, example).then(buildExample);
    prepared.set(example, preparing);
    // Its own test reports a failure.
    preparing.catch(() => {});
    return preparing;
  }

  for (const [at, [name, stack]] of Object.entries(stacks).entries()) {
    const { example, hasOrders, start = startExample, ...form } = stack;
    t.test(name, async (t) => {
      const installed = await prepare(example);
      // While this one is visited.
      const [next] = Object.values(stacks).slice(at + 1);
      if (next !== undefined) void prepare(next.example);
      const application = await start(t, installed, variables);
      gateway.serveApplication(application.port);
      await visitForm(t, { browser, gateway, application, guard: 'element', statuses, ...form });
      if (hasOrders) await visitOrders(t, { browser, gateway, system });
    });
  }
}
