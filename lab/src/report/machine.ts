// The machine of a program: its description, its use by others, and its speed in common operations.
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { assignCores } from '../cores.js';
import { type Cost, openGenerator } from '../load/open-generator.js';
import type { Open } from '../opened.js';
import { openPrivateRedis } from '../private-redis.js';
import { startServer } from '../server-process.js';
import { median } from '../statistics.js';
import type { Report } from './report.js';

/** Above this load average other programs compute, too, and figures are too low. */
const IDLE_LOAD = 0.5;
/** Average cores used by others above which figures count as disturbed. */
const DISTURBED = 0.1;
const ROUNDS = 5;

interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGB: number;
  readonly kernel: string;
  readonly node: string;
  /** Of the last minute before the start. */
  readonly loadAverage: number;
}

/** Prints the machine's description, and warns if it is busy. */
export function reportMachine(report: Report): Machine {
  const machine: Machine = {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.versions.node,
    loadAverage: Math.round(loadavg()[0]! * 100) / 100,
  };
  const { processor, cores, memoryGB, kernel, node, loadAverage } = machine;
  report.say(`machine: ${processor}, ${cores} cores, ${memoryGB} GB, Linux ${kernel}, Node ${node}`);
  const isBusy = loadAverage > IDLE_LOAD;
  report.say(
    `load average ${loadAverage}${isBusy ? `: WARNING, above ${IDLE_LOAD} others compute too, and the figures below are not final` : ''}`,
  );
  return machine;
}

/** Names the machine and the day, and reports use by others. @param othersUsed cores, on average */
export function describeRun(
  { processor, cores, node }: Machine,
  startedAt: string,
  othersUsed: number,
): string {
  const words = [`${processor}, ${cores} cores`, `Node ${node}`, startedAt.slice(0, 10)];
  if (othersUsed > DISTURBED) words.push(`NOT FINAL: others used ${othersUsed} cores meanwhile`);
  return words.join('; ');
}

/** Measures the machine's own floors, in a few seconds, so that results of two machines can be compared. */
export async function reportFloors(report: Report, open: Open): Promise<void> {
  report.row('floor: SHA-256 of 1 MiB', {
    'MB/s': inRounds(() => 1.048576 / (timed(hashMegabyte, 50) / 1e6)),
  });
  report.row('floor: SHA-256 of 64 bytes', { µs: inRounds(() => timed(hashBlock, 20_000)) });
  report.row('floor: JSON of 150 bytes, back and forth', { µs: inRounds(() => timed(copyJson, 20_000)) });
  report.row('floor: fsync of 4 kB', { ms: inRounds(() => timed(syncBlocks, 1) / 20 / 1000) });
  const cores = assignCores();
  const redis = await open(openPrivateRedis(cores.redis));
  const micros: number[] = [];
  for (let at = 0; at < 3_000; at++) {
    const startedMs = performance.now();
    await redis.client.ping();
    micros.push((performance.now() - startedMs) * 1000);
  }
  report.row(`floor: PING of Redis ${redis.version}`, { µs: median(micros.slice(1_000)) });
  const generator = await open(openGenerator(cores.load));
  const server = await open(startServer('bare', { args: ['http'], cores: cores.measured }));
  const plan = { urls: [server.url], connections: 50, seconds: 0.5, pids: { server: server.pid } };
  const costs: Cost[] = [];
  for (let round = 0; round <= ROUNDS; round++) costs.push(await generator.run(plan));
  const kept = costs.slice(1);
  report.row('floor: bare node:http, 50 connections', {
    'µs a request': kept.map(({ micros }) => micros.server!),
    'requests/s': kept.map(({ requestsPerSecond }) => requestsPerSecond),
  });
}

function inRounds(measure: () => number): number[] {
  measure();
  return Array.from({ length: ROUNDS }, measure);
}

/** @returns microseconds for a call */
function timed(call: () => unknown, calls: number): number {
  const startedMs = performance.now();
  for (let at = 0; at < calls; at++) call();
  return ((performance.now() - startedMs) * 1000) / calls;
}

const megabyte = Buffer.alloc(2 ** 20, 'x');
const block = megabyte.subarray(0, 64);
const json = JSON.stringify({ id: 123_456, email: 'somebody@example.com', note: 'x'.repeat(94) });

const hashMegabyte = () => createHash('sha256').update(megabyte).digest();
const hashBlock = () => createHash('sha256').update(block).digest();
const copyJson = () => JSON.stringify(JSON.parse(json));

function syncBlocks(): void {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  const file = openSync(join(folder, 'block'), 'w');
  for (let at = 0; at < 20; at++) {
    writeSync(file, megabyte, 0, 4096);
    fsyncSync(file);
  }
  closeSync(file);
  rmSync(folder, { recursive: true });
}
