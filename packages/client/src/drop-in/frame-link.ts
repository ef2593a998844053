// Widget frame: its element, and the messages to and from it.

import type { FromFrame, ToFrame } from './messages.js';

/** Greeting timeout after the `load` event, in milliseconds. */
const GREETING_MS = 1_000;

interface FrameEvents {
  /** The frame has loaded, for the first time or again after a move in the document. */
  onGreeting(): void;
  onMessage(message: FromFrame): void;
  /** No greeting arrived: the frame was blocked, or its URL returned something else. */
  onBroken(): void;
}

interface FrameLink {
  /** Element in the container. */
  readonly node: HTMLIFrameElement;
  /** Whether the frame has sent its greeting since the last load. */
  readonly isOpen: boolean;
  /** Sends only while the frame is open. */
  send(message: ToFrame): void;
  /** Reloads the frame. */
  reload(): void;
  remove(): void;
}

/** @param url frame URL; messages are exchanged with its origin only */
export function createFrameLink(url: string, events: FrameEvents): FrameLink {
  const { origin } = new URL(url);
  const node = document.createElement('iframe');
  /** Window of the last greeting: a move in the document gives the frame a new one. */
  let openWindow: MessageEventSource | null = null;
  let frameOrigin = origin;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isOpen = () => openWindow !== null && openWindow === node.contentWindow;

  function onLoad(): void {
    // A client may insert the node into an element that is not in the document.
    if (isOpen() || !node.isConnected) return;
    clearTimeout(timer);
    timer = setTimeout(events.onBroken, GREETING_MS);
  }

  function onMessage({ source, origin: from, data }: MessageEvent): void {
    // In a page without an origin the frame has none either.
    const isFrames = from === origin || (from === 'null' && globalThis.origin === 'null');
    if (source === null || source !== node.contentWindow || !isFrames) return;
    frameOrigin = from;
    const message = data as Partial<FromFrame> | null;
    if (typeof message?.tollgate !== 'string') return;
    if (message.tollgate !== 'greeting') {
      events.onMessage(message as FromFrame);
      return;
    }
    clearTimeout(timer);
    openWindow = source;
    events.onGreeting();
  }

  window.addEventListener('message', onMessage);
  node.addEventListener('load', onLoad);
  // A frame removed from the document loses its window, and reloads when it is inserted again.
  node.src = url;
  return {
    node,
    get isOpen() {
      return isOpen();
    },
    send(message) {
      if (isOpen()) node.contentWindow?.postMessage(message, frameOrigin === 'null' ? '*' : frameOrigin);
    },
    reload() {
      openWindow = null;
      node.src = url;
    },
    remove() {
      clearTimeout(timer);
      window.removeEventListener('message', onMessage);
      node.removeEventListener('load', onLoad);
      node.remove();
    },
  };
}
