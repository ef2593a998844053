// How a client gives its commands to the socket: those of one turn of the event loop together, and none whose caller has given up.

import { Cluster, type Command, type Redis } from 'ioredis';
import { onceArrived } from './answer-limit.js';

/** The part of a socket that gathering uses. */
interface Corkable {
  readonly writableCorked: number;
  cork(): void;
  uncork(): void;
}

/**
 * Lets the commands of one turn of the event loop leave in one write, on every connection of a client: writing them one
 * by one takes a quarter of the time of a small request. Their time limits count from when they are given, and what a
 * broken connection had gathered counts as sent without a reply.
 *
 * A command whose caller was already told that it failed is not sent again on another connection. The client itself only
 * forgets such a command when its reply comes. None fails for its time limit while its reply waits in the socket.
 */
export function gatherCommands(client: Redis | Cluster): void {
  if (client instanceof Cluster) {
    client.on('+node', gatherCommands);
    return;
  }
  const send = client.sendCommand.bind(client);
  client.sendCommand = (command, stream) => {
    if (command.isSettled) return command.promise;
    waitForArrived(command);
    // There is no socket before the first connection.
    const socket: Corkable | undefined = client.stream;
    if (socket !== undefined) gather(socket);
    return send(command, stream);
  };
}

/** What the client says of a command whose time limit has passed. */
const TIMED_OUT = 'Command timed out';

function waitForArrived(command: Command): void {
  const { reject } = command;
  command.reject = (error) => {
    if (error.message !== TIMED_OUT) return reject(error);
    onceArrived(() => {
      if (!command.isSettled) reject(error);
    });
  };
}

/** Holds what is written to a socket until everything that has arrived was dealt with. */
function gather(socket: Corkable): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  setImmediate(release, socket);
}

// Without effect on a socket that was ended or destroyed meanwhile; ending it has written what it held.
function release(socket: Corkable): void {
  socket.uncork();
}
