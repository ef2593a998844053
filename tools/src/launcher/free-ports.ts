// Chooses free ports for listeners without a set port, and checks set ports.
import { createServer } from 'node:net';
import { type PortName, type Ports, portVariables, StartError } from './local-environment.js';

/** Any free port for each listener; `settlePorts` chooses them. */
export const ANY_PORTS: Ports = { gateway: 0, session: 0, sessionAdmin: 0, challenge: 0, challengeAdmin: 0 };

/** Below the range from which systems take ports of outgoing connections. */
const lowestChoice = 20_000;
const highestChoice = 32_000;

/**
 * Replaces every 0 by a free port and checks the others.
 * @throws {StartError} a line with the variable of each port that is in use or set twice
 */
export async function settlePorts(wanted: Ports): Promise<Ports> {
  const settled: Record<PortName, number> = { ...wanted };
  const mistakes: string[] = [];
  const owners = new Map<number, string>();
  for (const [name, [variable]] of entriesOf(portVariables)) {
    const port = wanted[name];
    if (port === 0) continue;
    const owner = owners.get(port);
    owners.set(port, variable);
    if (owner !== undefined) mistakes.push(`${owner} and ${variable} are both ${port}.`);
    else if (!(await isFree(name, port))) {
      mistakes.push(
        `Port ${port} is in use; set ${variable} to another one, or stop the program that uses it.`,
      );
    }
  }
  if (mistakes.length > 0) throw new StartError(mistakes.join('\n'));
  for (const [name] of entriesOf(portVariables)) {
    if (settled[name] === 0) settled[name] = await chooseFree(name, owners);
  }
  return settled;
}

/** Ports that one process chooses from, besides the first, which it keeps. */
const blockSize = 64;
const blocks = Math.floor((highestChoice - lowestChoice) / blockSize);
let nextBlock = process.pid % blocks;
let nextInBlock = 0;
let blockEnd = 0;

/**
 * A chosen port is free until a server listens on it, so other processes must choose elsewhere: it comes from a port block
 * whose first port this process occupies until it exits.
 */
async function chooseFree(name: PortName, owners: Map<number, string>): Promise<number> {
  for (;;) {
    if (nextInBlock === blockEnd) await claimBlock();
    const port = nextInBlock;
    nextInBlock += 1;
    if (owners.has(port) || !(await isFree(name, port))) continue;
    owners.set(port, 'chosen');
    return port;
  }
}

async function claimBlock(): Promise<void> {
  for (let attempts = 0; attempts < blocks; attempts++) {
    const first = lowestChoice + nextBlock * blockSize;
    nextBlock = (nextBlock + 1) % blocks;
    if (!(await hold(first))) continue;
    nextInBlock = first + 1;
    blockEnd = first + blockSize;
    return;
  }
  throw new StartError(`No ports between ${lowestChoice} and ${highestChoice} are free.`);
}

/** Listens on a port until the process ends, without keeping the process alive. */
async function hold(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(true)).unref();
  });
}

/** Checks both loopback addresses for the gateway, which listens on both. */
async function isFree(name: PortName, port: number): Promise<boolean> {
  return (await canListen('127.0.0.1', port)) && (name !== 'gateway' || (await canListen('::1', port)));
}

/** Whether the port is free at the address; true if the machine does not have the address. */
async function canListen(host: string, port: number): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve(true);
      else if (error.code === 'EACCES')
        reject(new StartError(`Port ${port} may not be used by this account.`));
      else reject(error);
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function entriesOf<T extends object>(value: T): [keyof T, T[keyof T]][] {
  return Object.entries(value) as [keyof T, T[keyof T]][];
}
