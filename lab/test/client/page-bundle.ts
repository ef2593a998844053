// Bundles the script of a page with its libraries, as an application does.
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** @param script the compiled script. @returns the code of one module */
export async function bundlePage(script: URL): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    root: fileURLToPath(new URL('../../../../', import.meta.url)),
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: {
        input: fileURLToPath(script),
        output: { codeSplitting: false },
      },
    },
  });
  if (!('output' in built)) throw new Error('no output was built');
  return built.output[0].code;
}

/** Libraries with a fixed script address in their code, and that script's path below our prefix. */
export const vendorScripts: readonly (readonly [address: RegExp, path: string])[] = [
  [/^https:\/\/(www\.google\.com|(www\.)?recaptcha\.net)\/recaptcha\/api\.js/, '/recaptcha/api.js'],
  [/^https:\/\/challenges\.cloudflare\.com\/turnstile\/v0\/api\.js/, '/turnstile/v0/api.js'],
];
