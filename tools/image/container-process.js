// A process in a buildah container: its output, readiness and exit.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const readyMs = 60_000;

/** Follows a service started by `Buildah.start`. */
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
      // buildah forwards no signal to its processes.
      if (running) process.kill(innermost(child.pid), 'SIGTERM');
      return end;
    },
  };
}

/** Waits until a command exits. */
export async function ended(child) {
  const command = follow(child);
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, said: command.said() };
}

/** The last process of a chain of single children. */
function innermost(pid) {
  // Any thread of a program may have children.
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  });
  return children.length === 0 ? pid : innermost(children[0]);
}

/** Whether the service reports readiness on its admin port. */
export async function isReady(port, service) {
  const deadlineMs = performance.now() + readyMs;
  while (service.isRunning() && performance.now() < deadlineMs) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    if (answer?.ok) return true;
    await pause(100);
  }
  return false;
}
