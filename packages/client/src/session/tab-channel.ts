// Notifies other tabs of a login or logout. Messages never contain a token.

import type { Environment } from './environment.js';

/** `logout-pending`: a logout without confirmation by the server. */
export type TabMessage = 'signed-in' | 'signed-out' | 'logout-pending';

interface TabChannel {
  send(message: TabMessage): void;
  /** Reopens the channel after `close`. */
  open(): void;
  close(): void;
}

export function openTabChannel(
  { openChannel }: Environment,
  name: string,
  onMessage: (message: TabMessage) => void,
): TabChannel {
  let channel: BroadcastChannel | undefined;
  const tabs: TabChannel = {
    send: (message) => channel?.postMessage(message),
    open() {
      tabs.close();
      try {
        channel = openChannel(name);
      } catch {
        // Firefox forbids it to pages without cookies: each tab is alone then.
      }
      if (channel) channel.onmessage = ({ data }) => onMessage(data);
    },
    close() {
      channel?.close();
      channel = undefined;
    },
  };
  tabs.open();
  return tabs;
}
