// One system for all flows of an engine: its demo page, forms of an application, and a page of another origin.

import { bundledPage } from '@tollgate/tests/browser/bundled-page.js';
import { pageEnvironment } from '@tollgate/tests/demo/demo-page-visit.js';
import { startServiceHere } from '@tollgate/tests/system/services-here.js';
import type { ServiceName } from '@tollgate/tools/launcher/local-environment.js';
import type { ServiceOptions, ServiceProcess } from '@tollgate/tools/launcher/service-process.js';
import { type System, startSystem } from '@tollgate/tools/launcher/system.js';
import type { Test } from 'tap';
import { type FormApplication, formsPath, startFormApplication } from './form-application.js';
import { type Front, startFront } from './front.js';
import { otherPage, otherScript } from './other-page.js';
import { shopSites } from './widget-flows.js';

export interface Site {
  readonly system: System;
  /** In front of the system; its address is that of the site. */
  readonly front: Front;
  /** In front of a page of another origin. */
  readonly elsewhere: Front;
  /** The submissions that the forms' handlers received. */
  readonly delivered: FormApplication['delivered'];
  /** Stops a service, as an operator does. @returns restarts it, at the same address */
  stopService(name: ServiceName): Promise<() => void>;
}

/** The address of a page behind the gate. */
export const guardedPath = '/guarded/';

/** The password of every account. */
const password = 'a password of these tests';

const accounts = {
  session: 'session@example.com',
  theft: 'theft@example.com',
  price: 'price@example.com',
  effort: 'effort@example.com',
  light: 'light@example.com',
  dark: 'dark@example.com',
  keyboard: 'keyboard@example.com',
  outage: 'outage@example.com',
  sleep: 'sleep@example.com',
  portal: 'portal@example.com',
  leave: 'leave@example.com',
  elsewhere: 'elsewhere@example.com',
};

/** An account for each flow with a login, so that the failures of one do not count for another. */
export function accountOf(flow: keyof typeof accounts): { email: string; password: string } {
  return { email: accounts[flow], password };
}

/** Starts everything; it stops when the test ends. */
export async function startSite(t: Test): Promise<Site> {
  const [front, elsewhere] = [await startFront(), await startFront()];
  t.teardown(() => Promise.all([front.stop(), elsewhere.stop()]));
  const running = new Map<ServiceName, ServiceProcess>();
  const optionsOf = new Map<ServiceName, ServiceOptions>();
  const startService = (name: ServiceName, options: ServiceOptions) => {
    const service = startServiceHere(name, options);
    running.set(name, service);
    optionsOf.set(name, options);
    return service;
  };
  const folder = t.testdir();
  const environment = {
    ...pageEnvironment(folder),
    PUBLIC_URL: front.address,
    CORS_ORIGIN: elsewhere.address,
    GATE: JSON.stringify({ sites: [front.address] }),
    // A renewal every two seconds.
    ACCESS_TTL: '4',
    RATE_LIMIT_REFRESH: '1000',
    SITES: shopSites,
  };
  const system = await startSystem({
    startService,
    page: await bundledPage(),
    environment,
    accounts: Object.values(accounts).map((email) => ({ email, password })),
  });
  t.teardown(async () => {
    await system.stop();
    for (const service of running.values()) await service.stop(5_000);
  });
  const forms = await startFormApplication({
    ...environment,
    CHALLENGE_SECRET: system.secrets.CHALLENGE_SECRET,
    STORE_URL: `file:${folder}/tollgate.db`,
  });
  t.teardown(() => forms.stop());

  front.forward('/', system.gatewayPort);
  front.forward(formsPath, forms.port);
  front.guard(guardedPath, system.ports.challenge, {
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><html lang="en"><head><title>Guarded</title></head><body></body></html>',
  });
  elsewhere.forward('/client/', system.gatewayPort, new URL(front.address).host);
  elsewhere.serve('/', { headers: { 'content-type': 'text/html' }, body: otherPage(front.address) });
  elsewhere.serve('/page.js', {
    headers: { 'content-type': 'text/javascript' },
    body: otherScript(front.address),
  });

  return {
    system,
    front,
    elsewhere,
    delivered: forms.delivered,
    async stopService(name) {
      await running.get(name)?.stop(5_000);
      return () => void startService(name, optionsOf.get(name)!);
    },
  };
}
