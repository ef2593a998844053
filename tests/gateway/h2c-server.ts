// A web server that accepts HTTP/2 upgrades without TLS (h2c), as the application behind a gateway: Hypercorn.

import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import type { Test } from 'tap';
import { listening } from './gateway-programs.js';

/** The Hypercorn program; empty if not installed. */
export const hypercorn =
  process.env.HYPERCORN ?? (existsSync('/usr/bin/hypercorn') ? '/usr/bin/hypercorn' : '');

/** A request that has reached the application. */
export interface Reached {
  readonly type: 'http' | 'websocket';
  /** `1.1`, or `2` in a tunnel. */
  readonly version: string;
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
  /** Names and values as received, names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export interface H2cApplication {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** The requests that have reached it, in order. */
  readonly reached: readonly Reached[];
  /** Resolves when the list has all requests received so far. */
  settled(): Promise<void>;
}

const APPLICATION = `import json

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    print(json.dumps({
        "type": scope["type"],
        "version": scope["http_version"],
        "path": scope["raw_path"].decode("latin-1"),
        "query": scope["query_string"].decode("latin-1"),
        "headers": [[name.decode("latin-1"), value.decode("latin-1")] for name, value in scope["headers"]],
    }), flush=True)
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while True:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return
            await send({"type": "websocket.send", "text": message["text"]})
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    body = b"%d bytes" % size
    length = (b"content-length", b"%d" % len(body))
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": body})
`;

/** Starts it; it responds with the length of a request body, and its WebSocket echoes messages. */
export async function startH2cApplication(t: Pick<Test, 'teardown'>): Promise<H2cApplication> {
  const folder = tempDir(t);
  writeFileSync(join(folder, 'application.py'), APPLICATION);
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const child = spawn(hypercorn, ['--bind', host, 'application:app'], {
    cwd: folder,
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const reached: Reached[] = [];
  let line = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (line + text).split('\n');
    line = lines.pop() ?? '';
    for (const each of lines) reached.push(JSON.parse(each));
  });
  await listening(t, child, port);
  return {
    host,
    reached,
    async settled() {
      const query = `settled=${reached.length}`;
      await fetch(`http://${host}/?${query}`);
      while (!reached.some((request) => request.query === query)) await sleep(10);
    },
  };
}
