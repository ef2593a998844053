// The gate in front of a page: its page works in every engine, and leads to the requested address.
import { isShown, WIDTH } from '../../src/engines/engine.js';
import type { Flows } from './flows.js';
import { guardedPath } from './site.js';

const isThere = (address: string) =>
  `document.title === 'Guarded' && location.href.endsWith(${JSON.stringify(address)})`;

export const gateFlows: Flows = {
  async 'a visitor is stopped at the gate, the browser works, and the requested address opens'(
    t,
    { site, visitor },
  ) {
    const { front } = site;
    const tab = await visitor.openTab();
    const wanted = `${guardedPath}wanted?a=b%20c#part`;
    const release = front.hold('POST /api/captcha/gate/pass');
    front.answered.length = 0;
    await tab.open(front.address + wanted);
    await tab.waitFor(isShown('tollgate-challenge'));
    await tab.resize(360);
    t.equal(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, '360 pixels');
    await tab.resize(WIDTH);
    release();
    await tab.waitFor(isThere(wanted));
    t.strictSame(
      front.answered.filter((line) => /guarded|gate\/pass/.test(line)),
      ['GET /guarded/wanted 403', 'POST /api/captcha/gate/pass 200', 'GET /guarded/wanted 200'],
    );
    await tab.open(`${front.address}${guardedPath}other`);
    await tab.waitFor(isThere(`${guardedPath}other`));
  },
};
