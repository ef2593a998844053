// A Redis server's own counters.
import type { Redis } from 'ioredis';

/** Counters since the start of the server, and its current content. */
export interface StoreReading {
  /** Processor time, in microseconds. */
  readonly cpuMicros: number;
  /** Commands executed, including those inside scripts. */
  readonly commands: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Memory in use without client buffers. */
  readonly usedBytes: number;
  readonly keys: number;
}

/** Reads the counters of one server. */
export async function readStore(redis: Redis): Promise<StoreReading> {
  const info = await redis.info('everything');
  const number = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
  const calls = [...info.matchAll(/^cmdstat_\S+:calls=(\d+)/gm)].map(([, count]) => Number(count));
  return {
    cpuMicros: (number('used_cpu_user') + number('used_cpu_sys')) * 1e6,
    commands: calls.reduce((sum, count) => sum + count, 0),
    bytesIn: number('total_net_input_bytes'),
    bytesOut: number('total_net_output_bytes'),
    usedBytes: number('used_memory') - number('mem_clients_normal'),
    keys: Number(/^db0:keys=(\d+)/m.exec(info)?.[1] ?? 0),
  };
}

/** The difference of two readings. */
export function between(before: StoreReading, after: StoreReading): StoreReading {
  return {
    cpuMicros: after.cpuMicros - before.cpuMicros,
    commands: after.commands - before.commands,
    bytesIn: after.bytesIn - before.bytesIn,
    bytesOut: after.bytesOut - before.bytesOut,
    usedBytes: after.usedBytes - before.usedBytes,
    keys: after.keys - before.keys,
  };
}

/** The keys of a command as MONITOR shows it: name first, words separated by spaces. */
export function keysOf(command: string): string[] {
  const [name, first = '', count = '0', ...rest] = command.split(' ');
  if (name === 'evalsha' || name === 'eval') return rest.slice(0, Number(count));
  if (name === 'del') return [first, ...(count === '0' ? [] : [count]), ...rest];
  return first === '' ? [] : [first];
}
