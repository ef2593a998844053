// The gate as an extension of the service: a challenge for visitors of whole sites who have no pass.

import { defineExtension, type Extension } from '../../src/extension.js';
import gate from './gate.js';
import { GateVariables } from './gate-variables.js';
import { createGuardedSites } from './guarded-sites.js';
import { loadGateOptions } from './load-gate-options.js';
import type { NameResolver } from './robot-names.js';
import checkGate from './routes/check-gate.js';
import passGate from './routes/pass-gate.js';
import { systemResolver } from './system-resolver.js';

/** Returns the gate. @param openResolver opens the name lookup for robots */
export function gateExtension(openResolver: () => NameResolver = systemResolver): Extension {
  return defineExtension({
    variables: GateVariables,
    example: { GATE: '{"sites":["http://localhost:8080"]}', TRUST_PROXY: 'loopback' },
    open({ GATE: value, RATE_LIMIT_GATE: limitPerMinute }, { values, captcha }, root) {
      if (value === undefined) return undefined;
      const options = loadGateOptions(value, {
        trustedProxies: values.TRUST_PROXY ?? [],
        hasWork: captcha.pow.enabled,
        root,
      });
      const resolver = openResolver();
      const siteWith = createGuardedSites(options.sites);
      const basePath = new URL(values.PUBLIC_URL).pathname.replace(/\/+$/, '');
      return {
        lifetimes: { seconds: options.pass.seconds },
        // The gate's page may load images only from its own site.
        addressFor(request) {
          const site = siteWith(request.host);
          return site === null ? undefined : `${site}${basePath}/${captcha.routes.prefix}`;
        },
        async plugin(app, { kinds, trail }) {
          await app.register(gate, { options, resolver, siteWith, basePath, captcha, kinds, trail });
          await app.register(checkGate);
          await app.register(passGate, { limitPerMinute });
        },
      };
    },
  });
}

export default gateExtension();
