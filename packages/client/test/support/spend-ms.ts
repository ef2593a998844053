/** Keeps the thread busy for at least this time. */
export function spendMs(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}
