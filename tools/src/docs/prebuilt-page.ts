// Generates docs/client/prebuilt.md: the browser files of challenge-service, with their integrity hashes.
import { createHash } from 'node:crypto';
import { readBrowserFiles } from '@tollgate/challenge-service/browser/browser-files.js';

/**
 * The text of the page.
 * @throws Error if the files have not been built
 */
export function prebuiltPage(): string {
  const { version, names: served, copyOf } = readBrowserFiles();
  // Widget files are not meant for one's own pages.
  const names = served.filter((name) => /^(classic|tollgate)/.test(name));
  const bytesOf = (name: string) => {
    const copy = copyOf(name, '');
    if (copy === undefined)
      throw new Error(`${name} is missing: node packages/client/bundle.js && node tools/bundle.js`);
    return copy.bytes;
  };
  const integrityOf = (name: string) =>
    `sha384-${createHash('sha384').update(bytesOf(name)).digest('base64')}`;
  const row = (name: string) => `| \`${name}\` | \`${integrityOf(name)}\` |`;
  return `# The prebuilt file

<!-- Written by \`npm run docs\` from the files of the build. Do not edit. -->

challenge-service serves the whole browser package as one file, so a form needs no build:

\`\`\`html
<script type="module" src="/api/captcha/tollgate.js"></script>
\`\`\`

A page is ready after three requests and under 40 kB. Loaded on demand:

- \`rare.js\`: HashWX, the kernel without WebAssembly, slow solvers' messages, floating and invisible elements
- \`proof.js\`: [device binding](session.md#binding-to-the-device), with the first login or refresh
- texts of other languages than English

\`gate.js\` is only for [the gate's page](../gate.md).

## Classic script tags

Programs that insert scripts without \`type="module"\`, such as WordPress and tag managers, use \`classic.js\`, which imports \`tollgate.js\` from the same folder:

\`\`\`html
<script async src="/api/captcha/classic.js"></script>
\`\`\`

\`async\`, \`defer\`, a query such as \`?ver=1\` and \`document.createElement('script')\` work. Exclude the file from plugins that combine or inline scripts. Classic scripts import functions with \`const { createSession } = await import('/api/captcha/tollgate.js')\`.

\`script-src\` must allow both files: by origin, by a \`nonce\` on the tag, or with \`'strict-dynamic'\`. A hash, or \`integrity\` on the tag, covers \`classic.js\` alone.

## Two names

| Name | Cached | For |
|---|---|---|
| \`/api/captcha/tollgate.js\` | 5 minutes, then compared by \`ETag\` | pages that take each release as it comes |
| \`/api/captcha/v/${version}/tollgate.js\` | for good | pages that name the release and its integrity hash |

An unknown version redirects to the current file, which the integrity hash then rejects: change the line together with the service, or serve the file yourself.

\`\`\`html
<script type="module" crossorigin src="/api/captcha/v/${version}/tollgate.js"
  integrity="${integrityOf('tollgate.js')}"></script>
\`\`\`

Both names exist for \`classic.js\` too. To serve the file yourself, take \`dist/tollgate.js\` of \`@tollgate/client\`, \`dist/tollgate/\` beside it, and \`dist/classic.js\` if used.

## Service address

The elements ask the service that served the file. Set \`base-url\` (and \`prefix\`) if \`CAPTCHA_ROUTES_PREFIX\` differs, or if you serve the file yourself and the services have another origin. Functions such as \`createSession\` take their own \`baseUrl\`.

## Another origin

Any page may load the file (\`Access-Control-Allow-Origin: *\`, \`Cross-Origin-Resource-Policy: cross-origin\`), also isolated ones (\`COOP\`, \`COEP\`). Challenges need [\`CORS_ORIGIN\`](README.md#another-origin). Workers start from a \`blob:\` there, which this policy allows:

    script-src https://auth.example.com 'wasm-unsafe-eval'; worker-src blob: https://auth.example.com;
    connect-src https://auth.example.com; img-src https://auth.example.com

Without \`blob:\` in \`worker-src\` (or \`script-src\`), the main thread works, which is [slower](troubleshooting.md#slow-work).

## Integrity

\`integrity\` covers \`tollgate.js\`. With [integrity in import maps](https://developer.mozilla.org/en-US/docs/Web/HTML/Reference/Elements/script/type/importmap), browsers also check languages by URL, but no worker's file.

| File | \`integrity\` |
|---|---|
${names.map(row).join('\n')}
`;
}
