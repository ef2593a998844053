// Libraries that send forms, as files of a page.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { resolve } = createRequire(import.meta.url);

/** At the paths used in docs/client. */
export const libraryFiles = {
  '/htmx.min.js': resolve('htmx.org/dist/htmx.min.js'),
  '/htmx-1.min.js': resolve('htmx.org-1/dist/htmx.min.js'),
  '/turbo.js': fileURLToPath(import.meta.resolve('@hotwired/turbo')),
  '/jquery.min.js': resolve('jquery'),
};

/** htmx and Turbo add styles. */
export const libraryPolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'";
