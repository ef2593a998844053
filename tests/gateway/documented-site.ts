// Both services with every option enabled, and every route of their OpenAPI documents.

import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { type System, startSystem } from '@tollgate/tools/launcher/system.js';
import type { Test } from 'tap';
import type { OpenApi } from '../e2e/contract.js';
import { CHEAP } from '../e2e/site.js';
import { freePorts } from '../launcher/launch.js';
import { GATE, KEYS, SITE } from '../monitoring/site-traffic.js';
import { startServiceHere } from '../system/services-here.js';

/** The listeners of a system; the first two are public. */
export const LISTENERS = ['session', 'challenge', 'sessionAdmin', 'challengeAdmin'] as const;
export type Listener = (typeof LISTENERS)[number];

/** A documented route, with examples in place of its parameters. */
export interface Operation {
  readonly listener: Listener;
  readonly method: string;
  readonly path: string;
  /** Whether the document has a request body. */
  readonly hasBody: boolean;
}

export interface DocumentedOperation extends Operation {
  /** The path as documented. */
  readonly pattern: string;
}

export interface DocumentedSite {
  readonly system: System;
  /** `host:port` of each listener. */
  readonly at: Readonly<Record<Listener, string>>;
  readonly operations: readonly DocumentedOperation[];
  readonly documents: Readonly<Record<Listener, OpenApi>>;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  token: 'a'.repeat(40),
  version: '0'.repeat(16),
  language: 'fr',
  sitekey: 'shop',
  id: '1',
  sid: 'a'.repeat(22),
};

/** `SITES` with the site of the examples, for tests that also use its routes. */
export const SITES = JSON.stringify({
  shop: { secret_sha256: '0'.repeat(64), hostnames: ['shop.example'], image: 'always' },
});

/** Starts the services in this process; they stop with the test. */
export async function startDocumentedSite(
  t: Pick<Test, 'teardown'>,
  variables: Readonly<Record<string, string>>,
): Promise<DocumentedSite> {
  const system = await startSystem({
    startService: startServiceHere,
    environment: {
      ...CHEAP,
      ...KEYS,
      ...SITE,
      ...GATE,
      ...freePorts,
      DATA_DIR: tempDir(t),
      CAPTCHA_NO_SCRIPT: 'image',
      RATE_LIMIT_NO_SCRIPT: '100000',
      PAGE_COOKIE: 'true',
      PAGE_LOGIN_URL: '/sign-in',
      RATE_LIMIT_REDEEM: '100000',
      RATE_LIMIT_GATE: '100000',
      TRUST_PROXY: 'loopback',
      LOG_LEVEL: 'silent',
      ...variables,
    },
  });
  t.teardown(() => system.stop());
  const at = Object.fromEntries(
    LISTENERS.map((listener) => [listener, `127.0.0.1:${system.ports[listener]}`]),
  ) as Record<Listener, string>;
  const documents = Object.fromEntries(
    await Promise.all(
      LISTENERS.map(async (listener) => {
        const response = await fetch(`http://${at[listener]}/openapi.json`);
        return [listener, await response.json()] as const;
      }),
    ),
  ) as Record<Listener, OpenApi>;
  const operations = LISTENERS.flatMap((listener) => operationsOf(listener, documents[listener]));
  return { system, at, operations, documents };
}

function operationsOf(listener: Listener, { paths }: OpenApi): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([pattern, item]) =>
    Object.entries(item).map(([method, { requestBody }]) => ({
      listener,
      method: method.toUpperCase(),
      pattern,
      path: pattern.replace(/\{(\w+)\}/g, (_all, name: string) => {
        const example = EXAMPLES[name];
        if (example === undefined) throw new Error(`no example for the parameter ${name}`);
        return example;
      }),
      hasBody: requestBody !== undefined,
    })),
  );
}
