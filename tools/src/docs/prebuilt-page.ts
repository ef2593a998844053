// Generates docs/client/prebuilt.md: the files that pages load from challenge-service, with their integrity hashes.
import { createHash } from 'node:crypto';
import { readBrowserFiles } from '@tollgate/challenge-service/browser/browser-files.js';

/**
 * The text of the page.
 * @throws Error if the files have not been built
 */
export function prebuiltPage(): string {
  const { version, names: served, copyOf } = readBrowserFiles();
  // The files of widgets are not for pages of one's own.
  const names = served.filter((name) => /^(classic|tollgate)/.test(name));
  const bytesOf = (name: string, encoding = '') => {
    const copy = copyOf(name, encoding);
    if (copy === undefined)
      throw new Error(`${name} is missing: node client/bundle.js && node tools/bundle.js`);
    return copy.bytes;
  };
  const integrityOf = (name: string) =>
    `sha384-${createHash('sha384').update(bytesOf(name)).digest('base64')}`;
  const row = (name: string) =>
    `| \`${name}\` | ${kilobytes(bytesOf(name, 'br'))} | ${kilobytes(bytesOf(name, 'gzip'))} | \`${integrityOf(name)}\` |`;
  return `# The prebuilt file

<!-- Written by \`npm run docs\` from the files of the build. Do not edit. -->

\`tollgate.js\` is the whole browser package in one file: element, challenges, session, and the code of its workers, which load the same file. challenge-service serves it, so a form needs one line and no build:

\`\`\`html
<script type="module" src="/api/captcha/tollgate.js"></script>
\`\`\`

A page is ready after three requests and less than 40 kB: this file, a challenge, and at most one look at the same file for the worker. Texts in another language than English are one request more, and so is \`rare.js\`: the work HashWX, if the page asks for it, the kernel for long searches without WebAssembly, what the solver has to say when it is slow, and the display of an element that floats or is invisible. \`proof.js\`, which [binds sessions](session.md#binding-to-the-device), is loaded with the first log-in or refresh. \`gate.js\` is for [the page of the gate](../gate.md) alone.

## Classic script tags

WordPress, tag managers and other programs that insert scripts without \`type="module"\` take \`classic.js\`. It stands beside \`tollgate.js\` and imports it from there; the page needs nothing else:

\`\`\`html
<script async src="/api/captcha/classic.js"></script>
\`\`\`

\`async\`, \`defer\`, a query such as \`?ver=1\` and elements made with \`document.createElement('script')\` work as well. Exclude the file from plugins that combine or inline scripts: it finds the service by its own address. A classic script of the page gets the functions with \`const { createSession } = await import('/api/captcha/tollgate.js')\`.

The \`script-src\` of the page must allow both files: by the origin of the service, by a \`nonce\` on the tag (which the import inherits), or with \`'strict-dynamic'\`. A hash allows only the one it names. \`integrity\` on the tag covers \`classic.js\` alone.

## Two names

| Name | Cached | For |
|---|---|---|
| \`/api/captcha/tollgate.js\` | 5 minutes, then compared by \`ETag\` | pages that take each release as it comes |
| \`/api/captcha/v/${version}/tollgate.js\` | for good | pages that name the release and its integrity hash |

The version names the content of all files that the service serves to browsers. A version that the service does not have leads to the present file (302), so a page of another release goes on working. With an integrity hash the browser refuses that file: change the line together with the service, or serve the file from the application itself.

\`\`\`html
<script type="module" crossorigin src="/api/captcha/v/${version}/tollgate.js"
  integrity="${integrityOf('tollgate.js')}"></script>
\`\`\`

Both names exist for \`classic.js\` too. From a server of your own, \`dist/tollgate.js\` of the package \`@tollgate/client\` has the same bytes and the same hash. Serve the folder \`dist/tollgate/\` beside it, and \`dist/classic.js\` if you use it.

## The service it asks

Loaded from \`…/api/captcha/tollgate.js\`, the file makes its elements ask that service, whatever the origin and path in front. Set \`base-url\` (and \`prefix\`) on the element if \`CAPTCHA_ROUTES_PREFIX\` has another value, or if you serve the file yourself and the services have another origin. Functions of the file, such as \`createSession\`, take their own \`baseUrl\`.

## Another origin

The answers say \`Access-Control-Allow-Origin: *\` and \`Cross-Origin-Resource-Policy: cross-origin\`: a page of any origin may load the file, isolated pages (\`COOP\`, \`COEP\`) too. The challenges need \`CORS_ORIGIN\` as [everywhere](README.md#another-origin).

Browsers start workers only from the page's own origin. From another one the file starts them from a \`blob:\` that imports it, which this policy allows:

    script-src https://auth.example.com 'wasm-unsafe-eval'; worker-src blob: https://auth.example.com;
    connect-src https://auth.example.com; img-src https://auth.example.com

Without \`blob:\` in \`worker-src\` (or in \`script-src\`, where there is no \`worker-src\`) the main thread does the work in short slices: slower, and the console [says so](troubleshooting.md#it-is-slow). With the page and the service on one origin no \`blob:\` is needed.

## Integrity

\`integrity\` in a page covers \`tollgate.js\`. Browsers that know [integrity in import maps](https://developer.mozilla.org/en-US/docs/Web/HTML/Reference/Elements/script/type/importmap) check languages as well, by their URLs. Browsers offer no check for the file of a worker; it is the same URL as the script.

| File | Brotli | gzip | \`integrity\` |
|---|---|---|---|
${names.map(row).join('\n')}
`;
}

function kilobytes(bytes: Buffer): string {
  return `${(bytes.length / 1000).toFixed(1)} kB`;
}
