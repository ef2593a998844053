// Worker URL of the prebuilt file: `packages/client/bundle.js` replaces the worker file with this.

let url: string | undefined;

/**
 * Returns the URL of this file. Browsers start workers only from the page's origin, so for another origin it returns a
 * `blob:` URL with a line that imports the file; `worker-src` may block it.
 */
export function ownFile(): string {
  url ??=
    new URL(import.meta.url).origin === location.origin ? import.meta.url : importingFile(import.meta.url);
  return url;
}

function importingFile(file: string): string {
  return URL.createObjectURL(new Blob([`import ${JSON.stringify(file)};`], { type: 'text/javascript' }));
}
