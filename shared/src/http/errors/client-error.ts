// Answers what is not HTTP, or too slow or too long to become a request.

import type { Socket } from 'node:net';

const statusLines = new Map<unknown, string>([
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
]);

/** A bare status line: there is no request whose language or route an answer could follow. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) {
    const status = statusLines.get(error.code) ?? '400 Bad Request';
    socket.write(
      `HTTP/1.1 ${status}\r\nCache-Control: no-store\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
  }
  socket.destroy(error);
}
