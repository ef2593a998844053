// One kept-alive HTTP/1.1 connection. It costs a third less than HTTP libraries, which would delay the Redis beside it.
import { connect, type Socket } from 'node:net';

export interface Answer {
  /** 0 if the connection was closed instead. */
  readonly status: number;
  /** The status line and the header lines. */
  readonly head: string;
}

export interface Connection {
  /** Sends a complete request. The previous response must have arrived. */
  send(request: string, onAnswer: (answer: Answer) => void): void;
  close(): void;
}

const CLOSED: Answer = { status: 0, head: '' };
const END_OF_HEAD = '\r\n\r\n';
const END_OF_CHUNKS = '\r\n0\r\n\r\n';
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;

/** Opens a connection; it is reopened for the next request if the server closes it. */
export async function openConnection({ hostname, port }: URL): Promise<Connection> {
  let socket: Socket | undefined;
  let text = '';
  let answer: ((answer: Answer) => void) | undefined;
  const settle = (value: Answer) => {
    const settled = answer;
    answer = undefined;
    text = '';
    settled?.(value);
  };
  const open = () => {
    const opened = connect(Number(port), hostname).setNoDelay().setEncoding('latin1');
    opened.on('data', (part: string) => {
      text += part;
      const whole = readAnswer(text);
      if (whole !== undefined) settle(whole);
    });
    opened.on('error', () => {});
    opened.on('close', () => {
      if (socket !== opened) return;
      socket = undefined;
      settle(CLOSED);
    });
    return opened;
  };
  socket = open();
  await new Promise<void>((resolve, reject) => socket?.once('connect', resolve).once('error', reject));
  return {
    send(request, onAnswer) {
      answer = onAnswer;
      socket ??= open();
      socket.write(request, 'latin1');
    },
    close() {
      const closed = socket;
      socket = undefined;
      closed?.destroy();
    },
  };
}

/** Returns the response in a text, or undefined if incomplete. */
function readAnswer(text: string): Answer | undefined {
  const headEnd = text.indexOf(END_OF_HEAD);
  if (headEnd < 0) return undefined;
  const head = text.slice(0, headEnd);
  const status = Number(head.slice(9, 12));
  const length = LENGTH.exec(head)?.[1];
  const isWhole =
    length === undefined
      ? !CHUNKED.test(head) || text.endsWith(END_OF_CHUNKS)
      : text.length >= headEnd + END_OF_HEAD.length + Number(length);
  return isWhole ? { status, head } : undefined;
}
