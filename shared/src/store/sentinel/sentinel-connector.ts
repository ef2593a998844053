// Connects a Redis client to the master that the Sentinels name, and drops the connection when they name another.

import { createConnection, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'ioredis';
import type { HostPort } from '../store-url.js';
import type { SentinelWatch } from './sentinel-watch.js';

/** After this time without a master the client gets the reason, in milliseconds. */
const TELL_AFTER_MS = 1000;

/** Returns the class for a client's option `Connector`. */
export function sentinelConnector(watch: SentinelWatch): NonNullable<RedisOptions['Connector']> {
  return class SentinelMasterConnector extends AbstractConnector {
    #abandoned = new AbortController();

    readonly #connect: (address: HostPort) => Socket;

    constructor(options: unknown) {
      const { disconnectTimeout = 0, tls } = options as RedisOptions;
      super(disconnectTimeout);
      this.#connect = tls ? (address) => connectSecurely({ ...address, ...tls }) : createConnection;
    }

    async connect(emit: (type: string, error: Error) => void): Promise<Socket> {
      this.connecting = true;
      this.#abandoned = new AbortController();
      const timer = setInterval(() => emit('error', new Error(watch.problem)), TELL_AFTER_MS).unref();
      try {
        const stream = this.#connect(await watch.master(this.#abandoned.signal));
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
