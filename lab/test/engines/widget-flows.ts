// The vendors' client libraries in a page of another origin, with our scripts instead of the vendors'.
import { createHash } from 'node:crypto';
import { bundlePage } from '../client/page-bundle.js';
import type { Flows } from './flows.js';
import type { Site } from './site.js';

const secret = 'the secret of a shop in the tests of the engines';

/** The site of those pages, for `SITES`. */
export const shopSites = JSON.stringify({
  shop: { secret_sha256: createHash('sha256').update(secret).digest('hex'), hostnames: ['localhost'] },
});

async function serveLibraries({ front, elsewhere }: Site): Promise<void> {
  const service = `${front.address}/api/captcha`;
  elsewhere.serve('/clients.js', {
    headers: { 'content-type': 'text/javascript' },
    body: await bundlePage(new URL('../client/widget-page.js', import.meta.url)),
  });
  elsewhere.serve('/widgets', {
    headers: { 'content-type': 'text/html' },
    body: `<!doctype html><html lang="en"><title>A shop</title><script src="/watch.js"></script>
      <script>service = ${JSON.stringify(service)}; told = [];</script>
      <script id="cf-turnstile-script" src="${service}/turnstile/v0/api.js?render=explicit"></script>
      <form><div id="app"></div></form><script type="module" src="/clients.js"></script>`,
  });
}

async function verify({ front }: Site, receipt: string): Promise<unknown> {
  const answer = await fetch(`${front.address}/api/captcha/siteverify`, {
    method: 'POST',
    body: new URLSearchParams({ secret, response: receipt }),
  });
  return answer.json();
}

export const widgetFlows: Flows = {
  async 'client libraries of hCaptcha and Turnstile get receipts that their servers accept'(
    t,
    { site, visitor },
  ) {
    await serveLibraries(site);
    const tab = await visitor.openTab();
    for (const library of ['react-hcaptcha', 'vanilla-hcaptcha', 'react-turnstile', 'vue-turnstile']) {
      await tab.open(`${site.elsewhere.address}/widgets?${library}`);
      await tab.waitFor('told.length > 0');
      const receipt = await tab.evaluate<string>('told[0]');
      t.match(await verify(site, receipt), { success: true, hostname: 'localhost' }, library);
    }
  },
};
