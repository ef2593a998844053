// Whether somebody is at the form.

/** What a page tells. */
export interface PageListener {
  /** The page is looked at again. */
  shown(): void;
  /** The page is left, and may come back as it is. */
  left(): void;
  /** The page has come back from the back/forward cache: what it holds may have been sent. */
  returned(): void;
}

export interface Attention {
  /** The person does something in the form. */
  touch(): void;
  isVisible(): boolean;
  /** Visible, and touched in the last 2 minutes (decisions 3.8). */
  isThere(): boolean;
  close(): void;
}

const TOUCH_MS = 120_000;

/** Watches the page; without a document, as in Node, it is visible always. */
export function watchAttention(listener: PageListener): Attention {
  const page = typeof document === 'undefined' ? null : document;
  let touchedAtMs = Number.NEGATIVE_INFINITY;
  const isVisible = () => page?.visibilityState !== 'hidden';
  const changed = () => {
    if (isVisible()) listener.shown();
  };
  const returned = (event: PageTransitionEvent) => {
    if (event.persisted) listener.returned();
  };
  if (page !== null) {
    page.addEventListener('visibilitychange', changed);
    addEventListener('pagehide', listener.left);
    addEventListener('pageshow', returned);
  }
  return {
    touch() {
      touchedAtMs = Date.now();
    },
    isVisible,
    isThere: () => isVisible() && Math.abs(Date.now() - touchedAtMs) < TOUCH_MS,
    close() {
      if (page === null) return;
      page.removeEventListener('visibilitychange', changed);
      removeEventListener('pagehide', listener.left);
      removeEventListener('pageshow', returned);
    },
  };
}
