// Form activity: page visibility, and input in the last two minutes.

interface PageEvents {
  /** The page becomes visible. */
  onVisible(): void;
  /** The user leaves the page; it may return from the back/forward cache. */
  onLeave(): void;
  /** The page returns from the back/forward cache: its challenges may have been sent. */
  onRestore(): void;
}

interface PageActivity {
  /** Records user activity. */
  touch(): void;
  isVisible(): boolean;
  /** Whether the page is visible and was touched in the last 2 minutes. */
  isActive(): boolean;
  close(): void;
}

const ACTIVE_MS = 120_000;

/** Watches the page. Without a document, as in Node, the page counts as visible. */
export function watchPageActivity(events: PageEvents): PageActivity {
  const page = typeof document === 'undefined' ? null : document;
  let touchedAtMs = Number.NEGATIVE_INFINITY;
  const isVisible = () => page?.visibilityState !== 'hidden';
  const onVisibilityChange = () => {
    if (isVisible()) events.onVisible();
  };
  const onPageShow = (event: PageTransitionEvent) => {
    if (event.persisted) events.onRestore();
  };
  if (page !== null) {
    page.addEventListener('visibilitychange', onVisibilityChange);
    addEventListener('pagehide', events.onLeave);
    addEventListener('pageshow', onPageShow);
  }
  return {
    touch() {
      touchedAtMs = Date.now();
    },
    isVisible,
    isActive: () => isVisible() && Math.abs(Date.now() - touchedAtMs) < ACTIVE_MS,
    close() {
      if (page === null) return;
      page.removeEventListener('visibilitychange', onVisibilityChange);
      removeEventListener('pagehide', events.onLeave);
      removeEventListener('pageshow', onPageShow);
    },
  };
}
