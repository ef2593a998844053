// Loads the warning texts, which few pages need.

/** Warns once they are loaded. */
export function loadWarnings(warn: (warnings: typeof import('./warnings.js')) => void): void {
  import('./warnings.js').then(warn, () => undefined);
}
