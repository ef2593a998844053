// Reads the memory of a service that was started with the probe.
import { once } from 'node:events';
import { connect } from 'node:net';
import { type HeapReading, probeSocket } from './probe.js';

/** @throws Error if the process does not listen */
export async function readMemory(folder: string, pid: number): Promise<HeapReading> {
  const socket = connect(probeSocket(folder, pid)).setEncoding('utf8');
  let text = '';
  socket.on('data', (part: string) => {
    text += part;
  });
  await once(socket, 'end');
  return JSON.parse(text) as HeapReading;
}
