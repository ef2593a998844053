// Accepted values of USERS_URL.

import t from 'tap';
import { parseUsersUrl } from '../../src/directory/users-url.js';

t.test(
  'file and module paths are resolved against the given folder, a database URL is unchanged',
  async (t) => {
    const cases = {
      'file:data/users.db': { kind: 'embedded', path: '/root/data/users.db' },
      'file:/var/users.db': { kind: 'embedded', path: '/var/users.db' },
      'module:./users.js': { kind: 'module', path: '/root/users.js' },
      'postgres://u:p@h/d': { kind: 'postgres', url: 'postgres://u:p@h/d' },
      'postgresql:///d?host=/run': { kind: 'postgres', url: 'postgresql:///d?host=/run' },
    };
    for (const [url, place] of Object.entries(cases)) t.strictSame(parseUsersUrl(url, '/root'), place);
  },
);

t.test('any other URL is rejected without being quoted', async (t) => {
  const wrong = ['', 'file:', 'module:', 'users.db', 'postgres:u:p@h/d', 'mysql://u:p@h/d', 'constructor:x'];
  const words = 'must be file:PATH, postgres://USER:PASSWORD@HOST/DATABASE or module:PATH';
  for (const url of wrong) t.throws(() => parseUsersUrl(url, '/'), new RangeError(words));
});
