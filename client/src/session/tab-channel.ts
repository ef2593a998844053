// Tells the other tabs of a log-in and a log-out: two words, and never a token.

import type { Surroundings } from './environment.js';

export type Word = 'signed-in' | 'signed-out';

export interface Tabs {
  tell(word: Word): void;
  open(): void;
  close(): void;
}

export function connectTabs({ openChannel }: Surroundings, name: string, hear: (word: Word) => void): Tabs {
  let channel: BroadcastChannel | undefined;
  const tabs: Tabs = {
    tell: (word) => channel?.postMessage(word),
    open() {
      tabs.close();
      channel = openChannel(name);
      if (channel) channel.onmessage = ({ data }) => hear(data);
    },
    close() {
      channel?.close();
      channel = undefined;
    },
  };
  tabs.open();
  return tabs;
}
