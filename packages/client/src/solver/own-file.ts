// Where the prebuilt file starts its workers from: `packages/client/bundle.js` puts this in place of the worker's own file.

let url: string | undefined;

/**
 * Returns the URL of this file. Browsers start workers only from the origin of the page, so for a file of another origin it
 * is that of a line that imports the file (`blob:`, which `worker-src` may refuse).
 */
export function ownFile(): string {
  url ??=
    new URL(import.meta.url).origin === location.origin ? import.meta.url : importingFile(import.meta.url);
  return url;
}

function importingFile(file: string): string {
  return URL.createObjectURL(new Blob([`import ${JSON.stringify(file)};`], { type: 'text/javascript' }));
}
