// The metrics of the challenge service.

import type { AuditCounters, AuditTrail } from '@tollgate/shared/audit';
import type { ChallengeObserver } from '@tollgate/shared/challenges';
import {
  createAuditCounters,
  createChallengeObservers,
  createMetrics,
  createRequestObservers,
  createStoreObservers,
  createWorkCounter,
  type Metrics,
  type RequestObserver,
  type WorkCounter,
} from '@tollgate/shared/http';
import { type LoadWatch, type QueueMeter, type StoreObserver, secondsSince } from '@tollgate/shared/store';
import { type ImagePool, ImageQueueFullError } from '../renderer/image-pool.js';

/** The metrics, and the functions that update them. */
export interface ChallengeMetrics {
  readonly registry: Metrics;
  readonly audit: AuditCounters;
  requests(listener: 'public' | 'admin'): RequestObserver;
  readonly store: StoreObserver;
  /** Observes the submissions of one application: counts them, and writes them to the audit trail. */
  challenges(application: string, trail: AuditTrail): ChallengeObserver;
  /** Counts a proof of work by its algorithm and outcome. */
  readonly countWork: WorkCounter;
  /** Counts a proof of work by its algorithm, and its difficulty in bits. */
  readonly issuedWork: (algorithm: string, bits: number) => void;
  /** Returns a function that counts one challenge of this type and preset on the image endpoint. Call it once per preset. */
  issued(challenge: string, preset: string): () => void;
  /**
   * Wraps a pool so that its images are timed and counted, also for the load of this process.
   * @param threads images drawn at the same time
   */
  measured(images: ImagePool, threads: number, load: Pick<QueueMeter, 'measure'>): ImagePool;
  /** Adds gauges of the load of all processes, and its share of the price. Call it once. */
  load(load: Pick<LoadWatch, 'status'>): void;
}

const isRefusal = (error: unknown) => error instanceof ImageQueueFullError;
const BITS = [8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
const DRAWING_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** @param options.process whether to include metrics of the process, such as memory and event loop */
export function createChallengeMetrics(options: { readonly process: boolean }): ChallengeMetrics {
  const registry = createMetrics(options);
  const issued = registry.counter('tollgate_challenges_issued_total', 'Issued challenges', [
    'challenge',
    'preset',
  ]);
  const bits = registry.histogram(
    'tollgate_challenge_difficulty_bits',
    'Price of issued proofs of work, in leading zero bits',
    [],
    BITS,
  )({});
  const drawingSeconds = registry.histogram(
    'tollgate_image_draw_duration_seconds',
    'Time from an image request to its bytes, including the wait in the queue',
    [],
    DRAWING_BUCKETS_SECONDS,
  )({});
  const drawingRefused = registry.counter(
    'tollgate_images_refused_total',
    'Images not drawn because the queue was full',
  );
  const drawing = { running: 0, waiting: 0 };
  registry.gauge(
    'tollgate_image_jobs',
    'Images being drawn, and images in the queue',
    () => drawing,
    'state',
  );
  const work = { challenge: 'pow', preset: 'none' } as const;
  const countWork = createWorkCounter(registry);

  return {
    registry,
    load(load) {
      registry.gauge(
        'tollgate_load_level',
        'Level of the price by load; 0 is the normal price',
        () => load.status().level,
      );
      registry.gauge(
        'tollgate_load_ratio',
        'Mean queue load of all processes: 1 is full capacity, at 2 they reject',
        () => load.status().sum.queues,
        'queue',
      );
      registry.gauge(
        'tollgate_price_raised_bits',
        'Bits added to the lowest price, by source; the higher one counts',
        () => load.status().bits,
        'by',
      );
    },
    audit: createAuditCounters(registry, 'challenge-service'),
    requests: createRequestObservers(registry),
    store: createStoreObservers(registry, ['challenges'])('challenges'),
    challenges: createChallengeObservers(registry, countWork),
    countWork,
    issuedWork(algorithm, difficulty) {
      issued(work);
      countWork(algorithm, 'issued');
      bits(difficulty);
    },
    issued(challenge, preset) {
      const labels = { challenge, preset };
      return () => issued(labels);
    },
    measured(images, threads, load) {
      let unfinished = 0;
      const countJobs = (change: number) => {
        unfinished += change;
        drawing.running = Math.min(unfinished, threads);
        drawing.waiting = unfinished - drawing.running;
      };
      return {
        ...images,
        async draw(job) {
          const startedMs = performance.now();
          countJobs(1);
          try {
            const png = await load.measure(() => images.draw(job), isRefusal);
            drawingSeconds(secondsSince(startedMs));
            return png;
          } catch (error) {
            if (isRefusal(error)) drawingRefused();
            throw error;
          } finally {
            countJobs(-1);
          }
        },
      };
    },
  };
}
