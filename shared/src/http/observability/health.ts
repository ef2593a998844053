// The health routes: liveness, readiness, and for gateways, whether the process stops.

import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { within } from '../../store/store.js';

/**
 * Resolves if a dependency works; with a string other than `ok` if it works with a problem. Any other value is ignored.
 */
export type HealthCheck = () => Promise<unknown>;

/** The health state, set by the life cycle of a service. */
export interface HealthState {
  /** Set when the service begins to stop; it is not ready from then on. */
  stopping: boolean;
  /** Set while every response ends its connection. */
  closing?: boolean;
}

/** The options of the plugin. */
export interface HealthOptions {
  /** The checks by name. */
  readonly checks: Readonly<Record<string, HealthCheck>>;
  readonly state: HealthState;
  /** Names of checks that may fail while the service stays ready; it is then `degraded`. */
  readonly dispensable?: readonly string[];
  /** Milliseconds after which a check counts as failed; 1,000 by default. */
  readonly timeLimitMs?: number;
}

const Live = Type.Object({ status: Type.Literal('ok') });
const Serving = Type.Object({ status: Type.String({ description: '`ok` or `stopping`' }) });
const Ready = Type.Object({
  status: Type.String({ description: '`ok`, `degraded`, `failed` or `stopping`' }),
  checks: Type.Record(Type.String(), Type.String(), {
    description: '`ok`, `failed`, or the problem of a working dependency: `full`, `clock`',
  }),
});

/**
 * Adds `GET /health/serving`, also on the public listener: a gateway checks the port that it forwards requests to, and
 * processes on one machine have different ports. There it is no part of the documented interface (`hide`).
 */
export async function servingRoute(
  app: FastifyInstance,
  { state, hide = false }: { readonly state?: HealthState | undefined; readonly hide?: boolean },
): Promise<void> {
  // Without its store a service still verifies tokens, and a gateway that takes it for gone would reject those requests too.
  const schema = {
    hide,
    operationId: 'readServing',
    summary: 'Tell a gateway whether to send requests: until the service stops',
    response: { 200: Serving, 503: Serving },
  };
  app.get('/health/serving', { schema }, async (_request, reply) =>
    state?.stopping ? reply.code(503).send({ status: 'stopping' }) : { status: 'ok' },
  );
}

/** Adds `GET /health/live`, `GET /health/serving` and `GET /health/ready`. */
export default async function healthRoutes(app: FastifyInstance, options: HealthOptions): Promise<void> {
  const { checks, state, dispensable = [], timeLimitMs = 1000 } = options;
  // Logged once, not at each request of an orchestrator.
  const failing = new Set<string>();

  const live = { operationId: 'readLiveness', summary: 'Check liveness', response: { 200: Live } };
  app.get('/health/live', { schema: live }, async () => ({ status: 'ok' as const }));

  await app.register(servingRoute, { state });

  const ready = {
    operationId: 'readReadiness',
    summary: 'Check readiness, with the result of each check',
    response: { 200: Ready, 503: Ready },
  };
  app.get('/health/ready', { schema: ready }, async (request, reply) => {
    if (state.stopping) return reply.code(503).send({ status: 'stopping', checks: {} });
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        try {
          const value = await within(timeLimitMs, check());
          failing.delete(name);
          return [name, typeof value === 'string' ? value : 'ok'];
        } catch (error) {
          if (!failing.has(name)) request.log.warn({ check: name, err: error }, 'not ready');
          failing.add(name);
          return [name, 'failed'];
        }
      }),
    );
    const failed = results.filter(([, result]) => result === 'failed').map(([name]) => name as string);
    const isReady = failed.every((name) => dispensable.includes(name));
    const isOk = results.every(([, result]) => result === 'ok');
    const status = isOk ? 'ok' : isReady ? 'degraded' : 'failed';
    return reply.code(isReady ? 200 : 503).send({ status, checks: Object.fromEntries(results) });
  });
}
