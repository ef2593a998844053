// What the challenge service counts and measures.

import type { AuditTrail } from '@tollgate/shared/audit/audit-trail.js';
import type { AuditCounters } from '@tollgate/shared/audit/open-audit-trail.js';
import type { ChallengeObserver } from '@tollgate/shared/challenges/challenge-observer.js';
import { createMetrics, type Metrics } from '@tollgate/shared/http/observability/metrics.js';
import {
  createRequestObservers,
  type RequestObserver,
} from '@tollgate/shared/http/observability/request-metrics.js';
import {
  createAuditCounters,
  createChallengeObservers,
  createStoreObservers,
} from '@tollgate/shared/http/observability/service-metrics.js';
import { type StoreObserver, secondsSince } from '@tollgate/shared/store/store.js';
import { type ImagePool, ImageQueueFullError } from '../image/pool.js';

/** The figures and what moves them. */
export interface ChallengeMetrics {
  readonly metrics: Metrics;
  readonly audit: AuditCounters;
  requests(listener: 'public' | 'admin'): RequestObserver;
  readonly store: StoreObserver;
  /** Hears of the submissions to one application of the host API, and tells the audit stream. */
  challenges(application: string, trail: AuditTrail): ChallengeObserver;
  /** A proof of work of so many bits was issued. */
  readonly issuedWork: (bits: number) => void;
  /** Counts what is issued on the image endpoint: to be made once for each preset. */
  issued(challenge: string, preset: string): () => void;
  /**
   * The same pool, measured.
   * @param threads how many images it draws at once
   */
  measured(images: ImagePool, threads: number): ImagePool;
}

const BITS = [8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
const DRAWING_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** @param options.process whether memory, event loop and the like of the process are among the figures */
export function createChallengeMetrics(options: { readonly process: boolean }): ChallengeMetrics {
  const metrics = createMetrics(options);
  const issued = metrics.counter('tollgate_challenges_issued_total', 'Challenges that were issued', [
    'challenge',
    'preset',
  ]);
  const bits = metrics.histogram(
    'tollgate_challenge_difficulty_bits',
    'Price of the proofs of work that were issued, in leading zero bits',
    [],
    BITS,
  )({});
  const drawingSeconds = metrics.histogram(
    'tollgate_image_draw_duration_seconds',
    'Time from the request for an image to its bytes, the wait in the queue included',
    [],
    DRAWING_BUCKETS_SECONDS,
  )({});
  const drawingRefused = metrics.counter(
    'tollgate_images_refused_total',
    'Images that were not drawn because as many waited as may',
  );
  const drawing = { running: 0, waiting: 0 };
  metrics.gauge('tollgate_image_jobs', 'Images being drawn, and waiting to be', () => drawing, 'state');
  const work = { challenge: 'pow', preset: 'none' } as const;

  return {
    metrics,
    audit: createAuditCounters(metrics, 'challenge-service'),
    requests: createRequestObservers(metrics),
    store: createStoreObservers(metrics, ['challenges'])('challenges'),
    challenges: createChallengeObservers(metrics),
    issuedWork(difficulty) {
      issued(work);
      bits(difficulty);
    },
    issued(challenge, preset) {
      const labels = { challenge, preset };
      return () => issued(labels);
    },
    measured(images, threads) {
      let unfinished = 0;
      const note = (change: number) => {
        unfinished += change;
        drawing.running = Math.min(unfinished, threads);
        drawing.waiting = unfinished - drawing.running;
      };
      return {
        ...images,
        async draw(job) {
          const beganMs = performance.now();
          note(1);
          try {
            const png = await images.draw(job);
            drawingSeconds(secondsSince(beganMs));
            return png;
          } catch (error) {
            if (error instanceof ImageQueueFullError) drawingRefused();
            throw error;
          } finally {
            note(-1);
          }
        },
      };
    },
  };
}
