// The frame of a widget: its element, and the messages to and from it.

import type { FromFrame, ToFrame } from './messages.js';

/** How long after its `load` the greeting of a frame may take, in milliseconds. */
const GREETING_MS = 1_000;

export interface FrameEvents {
  /** The frame is loaded, for the first time or again after it was moved in the document. */
  onGreeting(): void;
  onMessage(message: FromFrame): void;
  /** What was loaded is not the frame: it is refused, or there is no answer. */
  onBroken(): void;
}

export interface FrameLink {
  /** What the container holds. */
  readonly node: HTMLIFrameElement;
  /** Whether the frame has greeted since it was last loaded. */
  readonly isOpen: boolean;
  /** Reaches the frame only while it is open. */
  send(message: ToFrame): void;
  /** Loads it again. */
  reload(): void;
  remove(): void;
}

/** @param url of the frame; its origin is the only one that is heard and spoken to */
export function createFrameLink(url: string, events: FrameEvents): FrameLink {
  const { origin } = new URL(url);
  const node = document.createElement('iframe');
  let isOpen = false;
  let frameOrigin = origin;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function onLoad(): void {
    // A client may insert the node into an element that is not in the document.
    if (isOpen || !node.isConnected) return;
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
    isOpen = true;
    events.onGreeting();
  }

  window.addEventListener('message', onMessage);
  node.addEventListener('load', onLoad);
  // A frame that leaves the document loses its window, and loads again where it is inserted.
  node.src = url;
  return {
    node,
    get isOpen() {
      return isOpen && node.contentWindow !== null;
    },
    send(message) {
      if (isOpen) node.contentWindow?.postMessage(message, frameOrigin === 'null' ? '*' : frameOrigin);
    },
    reload() {
      isOpen = false;
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
