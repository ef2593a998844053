// Loads the texts of warnings, which few pages need.

/** Warns as soon as they are there. */
export function loadWarnings(warn: (warnings: typeof import('./warnings.js')) => void): void {
  import('./warnings.js').then(warn, () => undefined);
}
