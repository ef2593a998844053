// Measures every request under the pattern of its route, so that clients cannot create new labels.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Metrics } from './metrics.js';

/** Measures an answered request. */
export type RequestObserver = (request: FastifyRequest, reply: FastifyReply) => void;

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Routes that only look at the service. */
export const PROBES = /^\/(?:metrics|health\/)/;
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Adds the histogram of requests. Returns a function that returns the observer of a listener. */
export function createRequestObservers(metrics: Metrics): (listener: 'public' | 'admin') => RequestObserver {
  const bind = metrics.histogram(
    'tollgate_http_request_duration_seconds',
    'Time from the arrival of a request to the end of its answer',
    ['listener', 'method', 'route', 'status'],
    BUCKETS_SECONDS,
  );
  return (listener) => {
    const bound = new Map<string, (seconds: number) => void>();
    return (request, reply) => {
      const { method } = request;
      const known = METHODS.has(method) ? method : 'other';
      const route = request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched');
      const key = `${reply.statusCode} ${known} ${route}`;
      let observe = bound.get(key);
      if (observe === undefined) {
        const measure = bind({ listener, method: known, route, status: String(reply.statusCode) });
        observe = PROBES.test(route)
          ? measure
          : (seconds) => {
              measure(seconds);
              metrics.active();
            };
        bound.set(key, observe);
      }
      observe(reply.elapsedTime / 1000);
    };
  };
}

async function requestMetrics(
  app: FastifyInstance,
  { observe }: { readonly observe: RequestObserver },
): Promise<void> {
  app.addHook('onResponse', (request, reply, done) => {
    observe(request, reply);
    done();
  });
}

/** Measures the requests of the server. */
export default fp(requestMetrics, { name: 'tollgate-request-metrics', fastify: '5.x' });
