// Connects a Redis client to the master that the Sentinels name, and drops the connection when they name another.

import { createConnection, type Socket } from 'node:net';
import { AbstractConnector, type RedisOptions } from 'ioredis';
import type { SentinelWatch } from './sentinel-watch.js';

/** After this time without a master the client gets the reason, in milliseconds. */
const TELL_AFTER_MS = 1000;

/** Returns the class for a client's option `Connector`. */
export function sentinelConnector(watch: SentinelWatch): NonNullable<RedisOptions['Connector']> {
  return class SentinelMasterConnector extends AbstractConnector {
    #abandoned = new AbortController();

    constructor(options: unknown) {
      super((options as RedisOptions).disconnectTimeout ?? 0);
    }

    async connect(emit: (type: string, error: Error) => void): Promise<Socket> {
      this.connecting = true;
      this.#abandoned = new AbortController();
      const timer = setInterval(() => emit('error', new Error(watch.problem)), TELL_AFTER_MS).unref();
      try {
        const stream = createConnection(await watch.master(this.#abandoned.signal));
        stream.once('error', (error) => {
          this.firstError = error;
        });
        // At once: a deposed master acknowledges writes that it will lose.
        const stopListening = watch.onLeave(() => stream.destroy());
        stream.once('close', stopListening);
        this.stream = stream;
        return stream;
      } finally {
        clearInterval(timer);
      }
    }

    override disconnect(): void {
      this.#abandoned.abort();
      super.disconnect();
    }

    /** A connection to a server that is not, or not yet, the master is dropped again. */
    override check({ role = 'master' }: { role?: string }): boolean {
      return role === 'master';
    }
  };
}
