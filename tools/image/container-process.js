// A process in a container of buildah: what it says, when it is ready, and its end.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const readyMs = 60_000;

/** Follows a service that `Buildah.start` has started. */
export function follow(child) {
  let said = '';
  let running = true;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  const end = once(child, 'close').then(([code]) => {
    running = false;
    return { code };
  });
  return {
    said: () => said,
    isRunning: () => running,
    async stop() {
      // buildah passes no signal on to what it runs.
      if (running) process.kill(innermost(child.pid), 'SIGTERM');
      return end;
    },
  };
}

/** Waits for the end of a command. */
export async function ended(child) {
  const command = follow(child);
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, said: command.said() };
}

/** The process at the end of a chain of only children. */
function innermost(pid) {
  // A program with threads has children in any of them.
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  });
  return children.length === 0 ? pid : innermost(children[0]);
}

/** Whether the service says that it is ready, on its admin port. */
export async function isReady(port, service) {
  const deadlineMs = performance.now() + readyMs;
  while (service.isRunning() && performance.now() < deadlineMs) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    if (answer?.ok) return true;
    await pause(100);
  }
  return false;
}
