// The load generator, a separate process: executes one plan after the other, each sent as a message.
import { cpuSeconds } from '../cpu-time.js';
import { percentile } from '../statistics.js';
import { type Answer, type Connection, openConnection } from './connection.js';
import type { LoadPlan, LoadResult } from './plan.js';

const SET_COOKIE = /\r\nset-cookie: *([^;\r]+)/gi;

process.on('message', (plan: LoadPlan) => {
  carryOut(plan).then((result) => process.send?.(result));
});

async function carryOut(plan: LoadPlan): Promise<LoadResult> {
  const { urls, connections, seconds, rate, cookies = [] } = plan;
  const clients = await Promise.all(
    Array.from({ length: connections }, (_, at) => openClient(plan, urls[at % urls.length]!, cookies[at])),
  );
  const before = readCpu(plan);
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1000;
  const times: number[] = [];
  const statuses: Record<number, number> = {};
  let left = plan.bodies?.length ?? Number.POSITIVE_INFINITY;
  const sendOn = (client: Client, sinceMs: number, onAnswer: () => void) => {
    client.send(plan.bodies?.[--left] ?? '', ({ status }) => {
      if (status >= 200 && status < 300) times.push(performance.now() - sinceMs);
      statuses[status] = (statuses[status] ?? 0) + 1;
      onAnswer();
    });
  };
  const isOver = () => left <= 0 || performance.now() >= untilMs;
  if (rate === undefined) await Promise.all(clients.map((client) => sendInTurn(client, isOver, sendOn)));
  else await sendAtRate(clients, rate, isOver, sendOn);
  const sent = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const elapsed = (performance.now() - startedMs) / 1000;
  const after = readCpu(plan);
  for (const { connection } of clients) connection.close();
  return {
    answered: times.length,
    failures: sent - times.length,
    statuses,
    seconds: elapsed,
    cpuSeconds: Object.fromEntries(Object.keys(before).map((name) => [name, after[name]! - before[name]!])),
    p50Ms: times.length > 0 ? percentile(times, 0.5) : Number.NaN,
    p99Ms: times.length > 0 ? percentile(times, 0.99) : Number.NaN,
    cookies: clients.map(({ cookie }) => cookie()),
  };
}

type Send = (client: Client, sinceMs: number, onAnswer: () => void) => void;

/** Sends one request after the other. */
function sendInTurn(client: Client, isOver: () => boolean, send: Send): Promise<void> {
  return new Promise((resolve) => {
    const next = () => (isOver() ? resolve() : send(client, performance.now(), next));
    next();
  });
}

/** Sends requests when they are due, regardless of responses; those without a free connection wait, and the wait counts. */
function sendAtRate(
  clients: readonly Client[],
  rate: number,
  isOver: () => boolean,
  send: Send,
): Promise<void> {
  const free = [...clients];
  const waiting: number[] = [];
  const startedMs = performance.now();
  let due = 0;
  return new Promise((resolve) => {
    const next = () => {
      const client = free.pop();
      const sinceMs = client && waiting.shift();
      if (client === undefined || sinceMs === undefined) {
        if (client !== undefined) free.push(client);
        return;
      }
      send(client, sinceMs, () => {
        free.unshift(client);
        next();
      });
      next();
    };
    const tick = () => {
      const nowMs = performance.now();
      if (isOver()) {
        if (free.length === clients.length) resolve();
        else setTimeout(tick, 1);
        return;
      }
      for (; due < ((nowMs - startedMs) * rate) / 1000; due++) waiting.push(nowMs);
      next();
      setTimeout(tick, 1);
    };
    tick();
  });
}

interface Client {
  readonly connection: Connection;
  send(body: string, onAnswer: (answer: Answer) => void): void;
  cookie(): string;
}

async function openClient(plan: LoadPlan, url: string, firstCookie: string | undefined): Promise<Client> {
  const { method = 'GET', headers = {} } = plan;
  const { host, pathname, search } = new URL(url);
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const start = `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}`;
  const connection = await openConnection(new URL(url));
  let cookie = firstCookie ?? '';
  return {
    connection,
    cookie: () => cookie,
    send(body, onAnswer) {
      const cookieLine = cookie === '' ? '' : `cookie: ${cookie}\r\n`;
      const lengthLine = method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body, 'latin1')}\r\n`;
      connection.send(`${start}${cookieLine}${lengthLine}\r\n${body}`, (answer) => {
        if (firstCookie !== undefined) cookie = cookieOf(answer) ?? cookie;
        onAnswer(answer);
      });
    },
  };
}

function cookieOf({ head }: Answer): string | undefined {
  const set = Array.from(head.matchAll(SET_COOKIE), ([, pair]) => pair!);
  return set.length === 0 ? undefined : set.join('; ');
}

function readCpu({ pids }: LoadPlan): Record<string, number> {
  return Object.fromEntries(
    Object.entries(pids).map(([name, of]) => [
      name,
      [of].flat().reduce((sum: number, pid) => sum + cpuSeconds(pid as number), 0),
    ]),
  );
}
