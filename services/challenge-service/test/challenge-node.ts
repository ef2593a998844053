// A challenge service node inside the test process: its public application over the test's store.

import { openKeyRing } from '@tollgate/shared/crypto';
import { createLogger } from '@tollgate/shared/http';
import { openChallengeStore, openRequestCounter, type Store } from '@tollgate/shared/store';
import { silentTrail } from '@tollgate/test-support/audit.js';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Test } from 'tap';
import { buildApp } from '../src/app.js';
import { readChallengeConfig } from '../src/config.js';
import type { Extension } from '../src/extension.js';
import { loadExtensions } from '../src/extensions.js';
import type { BrowserFiles } from '../src/plugins/browser-files.js';
import { createChallengeMetrics } from '../src/plugins/challenge-metrics.js';
import { type PresetDependencies, resolvePresets } from '../src/presets/presets.js';
import { type ImagePool, openImagePool } from '../src/renderer/image-pool.js';

export const SECRET = 'challenge-secret-of-the-tests-0001';

interface NodeOptions extends Omit<PresetDependencies, 'options' | 'sources'> {
  readonly presets?: Readonly<Record<string, unknown>>;
  readonly images?: ImagePool | null;
  readonly env?: Readonly<Record<string, string>>;
  /** Loaded extensions; by default those enabled by the variables. */
  readonly extensions?: readonly Extension[];
}

export interface ChallengeNode {
  get(url: string): Promise<LightMyRequestResponse>;
  inject(request: InjectOptions): Promise<LightMyRequestResponse>;
  /** Issues a challenge and returns the path of its image. */
  issueImage(preset?: string): Promise<string>;
  /** Image drivers and presets that only another node can draw, as reported by this node. */
  readonly others: readonly string[];
  log(): string;
  /** The metrics of this node in the Prometheus text format. */
  metrics(): Promise<string>;
  /** The browser files served by this node. */
  readonly browserFiles: BrowserFiles;
}

/** Builds a node. Without `images` it cannot draw. */
export async function openNode(t: Test, store: Store, deps: NodeOptions = {}): Promise<ChallengeNode> {
  const { presets = {}, images = null, env = {}, kinds = [], extensions: given, ...rest } = deps;
  const extensions = given ?? (await loadExtensions(env));
  const config = readChallengeConfig(
    {
      CHALLENGE_SECRET: SECRET,
      PUBLIC_URL: 'http://localhost:8080',
      RATE_LIMIT_ISSUE: '100000',
      RATE_LIMIT_IMAGE: '100000',
      ...env,
    },
    extensions,
  );
  const sources = [{ name: 'presets', presets }];
  const resolved = resolvePresets({ options: config.captcha, sources, kinds, ...rest });
  if (resolved.mistakes.length > 0) throw new Error(resolved.mistakes.join('\n'));
  const others: string[] = [];
  let log = '';
  const write = (line: string) => {
    log += line;
  };
  const metrics = createChallengeMetrics({ process: false });
  const app = await buildApp(config, {
    kinds,
    extensions: {
      list: extensions.flatMap((extension) => extension.open(config, '/') ?? []),
      openChallenges: (name) => openChallengeStore(store, 'captcha', name),
    },
    challenges: openChallengeStore(store, 'captcha'),
    countRequest: openRequestCounter(store, 'captcha'),
    ring: openKeyRing(config.values.CHALLENGE_SECRET),
    images,
    presets: resolved.presets,
    onOtherDriver: (driver) => others.push(driver),
    onOtherPreset: (name) => others.push(name),
    redis: {},
    metrics,
    trail: silentTrail(),
    logger: createLogger({ name: 'test', level: 'debug' }, { write }),
  });
  t.teardown(() => app.close());
  const get = (url: string) => app.inject(url);
  return {
    get,
    inject: (request) => app.inject(request),
    issueImage: async (preset = '') =>
      new URL((await get(`/api/captcha?preset=${preset}`)).json().url).pathname,
    others,
    log: () => log,
    metrics: () => metrics.registry.text(),
    browserFiles: app.browserFiles,
  };
}

/** Opens a pool of one thread. */
export async function openImages(t: Test): Promise<ImagePool> {
  const images = await openImagePool({ threads: 1, maxQueue: 4 });
  if (images === null) throw new Error('the tests need an image library');
  t.teardown(() => images.close());
  return images;
}
