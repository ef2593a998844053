// Waits for user input, and for an element to become visible.

/** Events that scripts cannot cause as trusted ones. */
const touches = ['pointerdown', 'keydown'] as const;

/**
 * Calls back once, at the next pointer or key event anywhere in the document while the page is visible.
 * @returns a function that ends the wait
 */
export function onceTouched(onTouch: () => void): () => void {
  const waiting = new AbortController();
  const { signal } = waiting;
  const listener = ({ isTrusted }: Event) => {
    if (!isTrusted || document.visibilityState !== 'visible') return;
    waiting.abort();
    onTouch();
  };
  for (const name of touches)
    document.addEventListener(name, listener, { signal, capture: true, passive: true });
  return () => waiting.abort();
}

/**
 * Calls back once, in a later task, when the page is visible and the element has a box: it is in the document, and neither
 * it nor an ancestor is `display: none`.
 * @param element null to check page visibility only
 * @returns a function that ends the wait
 */
export function onceVisible(element: Element | null, onVisible: () => void): () => void {
  const waiting = new AbortController();
  const { signal } = waiting;
  let hasBox = element === null;
  const check = () => {
    if (!hasBox || document.visibilityState !== 'visible' || signal.aborted) return;
    waiting.abort();
    onVisible();
  };
  document.addEventListener('visibilitychange', check, { signal });
  if (element === null) setTimeout(check);
  else {
    const observer = new ResizeObserver(([entry]) => {
      hasBox = (entry?.contentRect.width ?? 0) > 0;
      check();
    });
    observer.observe(element);
    signal.addEventListener('abort', () => observer.disconnect());
  }
  return () => waiting.abort();
}
