// A name server for tests: a zone in memory, served over UDP.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Test } from 'tap';

/** Records by queried name: names for `….in-addr.arpa` and `….ip6.arpa`, addresses for the others. */
export type Zone = Record<string, readonly string[] | 'silent'>;

interface NameServer {
  /** `127.0.0.1:PORT` */
  readonly address: string;
  /** The queried names, oldest first. */
  readonly asked: string[];
}

const TYPES: Readonly<Record<number, 'A' | 'PTR' | 'AAAA'>> = { 1: 'A', 12: 'PTR', 28: 'AAAA' };
const HEADER_BYTES = 12;

/** Responds until the test ends. A name missing from the zone does not exist; a silent name gets no response. */
export async function startNameServer(t: Pick<Test, 'teardown'>, zone: Zone): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, end } = readName(query, HEADER_BYTES);
    const type = query.readUInt16BE(end);
    asked.push(name);
    const records = zone[name];
    if (records === 'silent') return;
    const kind = TYPES[type];
    const data = (records ?? []).flatMap((record) => dataOf(record, kind) ?? []);
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    header.writeUInt16BE(records === undefined ? 0x8183 : 0x8180, 2);
    for (const [at, count] of [1, data.length, 0, 0].entries()) header.writeUInt16BE(count, 4 + at * 2);
    const question = query.subarray(HEADER_BYTES, end + 4);
    const answers = data.map((bytes) => Buffer.concat([answerHead(type, bytes.length), bytes]));
    socket.send(Buffer.concat([header, question, ...answers]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

function readName(query: Buffer, from: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = from;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function dataOf(record: string, kind: 'A' | 'PTR' | 'AAAA' | undefined): Buffer | undefined {
  if (kind === 'PTR') {
    const labels = record.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
    return Buffer.concat([...labels, Buffer.from([0])]);
  }
  if (kind === 'A' && !record.includes(':')) return Buffer.from(record.split('.').map(Number));
  if (kind === 'AAAA' && record.includes(':')) {
    const [head = '', tail = ''] = record.split('::');
    const groups = (text: string) => (text === '' ? [] : text.split(':'));
    const missing = 8 - groups(head).length - groups(tail).length;
    const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
    return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
  }
  return undefined;
}

/** The queried name, the type, a TTL of one minute, and the data length. */
function answerHead(type: number, length: number): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc000 + HEADER_BYTES, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(length, 10);
  return head;
}
