// The drop-in as an extension of the service: sites that replace reCAPTCHA, hCaptcha or Turnstile with it.

import { defineExtension, type Extension } from '../../src/extension.js';
import { readSites } from './read-sites.js';
import frameScript from './routes/frame-script.js';
import issueSitePow from './routes/issue-site-pow.js';
import redeem from './routes/redeem.js';
import siteFrame from './routes/site-frame.js';
import siteImage from './routes/site-image.js';
import siteverify from './routes/siteverify.js';
import widgetScript from './routes/widget-script.js';
import { siteChallengeOptions } from './site-challenges.js';
import { siteOrigins } from './site-origins.js';
import { SiteVariables } from './site-variables.js';
import sites from './sites.js';

/** Returns the drop-in. @param read reads the sites */
export function dropInExtension(read = readSites): Extension {
  return defineExtension({
    variables: SiteVariables,
    example: {
      SITES: JSON.stringify({ shop: { secret_sha256: '0'.repeat(64), hostnames: ['shop.example'] } }),
    },
    open(own, { values, captcha }, root) {
      const list = read(own.SITES, root);
      if (list.size === 0) return undefined;
      const all = [...list.values()];
      return {
        lifetimes: {
          ceiling: Math.max(...all.map((site) => siteChallengeOptions(captcha, site).pow.max_difficulty)),
          seconds: Math.max(...all.map((site) => site.receipt_seconds)),
        },
        originRuleOf: siteOrigins(list, `/${captcha.routes.prefix}`),
        async plugin(app, { address, kinds, trail, limits, openChallenges }) {
          await app.register(sites, {
            list,
            openChallenges,
            options: captcha,
            kinds,
            limit: limits.pow,
            redemptionsPerMinute: own.RATE_LIMIT_REDEEM,
          });
          await app.register(frameScript);
          await app.register(widgetScript, { address });
          await app.register(siteFrame);
          await app.register(issueSitePow);
          await app.register(siteImage, {
            imagesUrl: address,
            limit: limits.image,
            limitPerMinute: limits.drawingsPerMinute,
          });
          await app.register(redeem, { ownOrigin: new URL(values.PUBLIC_URL).origin, trail });
          await app.register(siteverify, { limitPerMinute: own.RATE_LIMIT_SITEVERIFY, trail });
        },
      };
    },
  });
}

export default dropInExtension();
