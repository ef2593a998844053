// captcha site: makes the secret of a site.

import { UsageError } from '@tollgate/shared/config';
import type { ExtensionCommand } from '../../../src/extension.js';
import { areHostnames, isSiteKey } from '../site.js';
import { newSite } from './new-site.js';

const OPTIONS = { hostname: { type: 'string', multiple: true } } as const;

const siteCommand: ExtensionCommand = {
  name: 'site',
  usage: 'captcha site [KEY] --hostname NAME [--hostname NAME …]',
  help: 'site makes the secret of a site, shows it once, and prints the entry of SITES (default KEY: 20 random letters and digits).',
  options: OPTIONS,
  async run([key, ...more], { hostname, ...others }) {
    if (more.length > 0 || Object.keys(others).length > 0) throw new UsageError();
    if (key !== undefined && !isSiteKey(key)) {
      throw new UsageError('KEY must be 1 to 64 letters, digits, _ or -');
    }
    const hostnames = (hostname ?? []) as readonly string[];
    if (hostnames.length === 0 || !areHostnames(hostnames)) {
      throw new UsageError(
        '--hostname must be a host name without a port, such as shop.example, *.shop.example or *',
      );
    }
    return newSite({ key, hostnames });
  },
};

export default siteCommand;
