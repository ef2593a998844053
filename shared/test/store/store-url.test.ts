// Store addresses: valid, rejected and displayed.

import t from 'tap';
import { describeStoreUrl, parseStoreUrl } from '../../src/store/store-url.js';

const ROOT = '/srv/app';

t.test('each form of address is parsed', async (t) => {
  const cases: Record<string, unknown> = {
    'file:data/x.db': { kind: 'embedded', path: '/srv/app/data/x.db' },
    'file:./x.db': { kind: 'embedded', path: '/srv/app/x.db' },
    'file:/var/x.db': { kind: 'embedded', path: '/var/x.db' },
    'file:///var/x.db': { kind: 'embedded', path: '/var/x.db' },
    'file:a folder/100%.db': { kind: 'embedded', path: '/srv/app/a folder/100%.db' },
    'redis://h': { kind: 'redis', url: 'redis://h' },
    'redis://u:p%40@h:6380/3': { kind: 'redis', url: 'redis://u:p%40@h:6380/3' },
    'rediss://[::1]:6380/': { kind: 'redis', url: 'rediss://[::1]:6380/' },
    'redis+cluster://h1:7000,h2': {
      kind: 'cluster',
      nodes: [
        { host: 'h1', port: 7000 },
        { host: 'h2', port: 6379 },
      ],
    },
    'redis+cluster://u:p%40%2f@[::1]:7000,[fe80::2]/': {
      kind: 'cluster',
      nodes: [
        { host: '::1', port: 7000 },
        { host: 'fe80::2', port: 6379 },
      ],
      username: 'u',
      password: 'p@/',
    },
    'redis+sentinel://s1,s2:26380/main': {
      kind: 'sentinel',
      sentinels: [
        { host: 's1', port: 26379 },
        { host: 's2', port: 26380 },
      ],
      name: 'main',
      db: 0,
    },
    'redis+sentinel://:secret@s1/main/4/': {
      kind: 'sentinel',
      sentinels: [{ host: 's1', port: 26379 }],
      name: 'main',
      db: 4,
      password: 'secret',
    },
  };
  for (const [url, address] of Object.entries(cases)) t.strictSame(parseStoreUrl(url, ROOT), address, url);
});

t.test('everything else is rejected without repeating it', async (t) => {
  const urls = [
    '',
    'file:',
    'data/x.db',
    'http://hunter2@h',
    'redis:h',
    'redis://',
    'redis:///3',
    'redis://:hunter2@',
    'redis://:hunter2@h:99999',
    'redis://:hunter2@h/three',
    'redis://:hunter2@h/-3',
    'redis://:hunter2%@h',
    'redis://hunter2%zz@h',
    'redis://:hunter2/@h',
    'Redis://:hunter2@h',
    'redis+cluster://',
    'redis+cluster:///',
    'redis+cluster://:hunter2%@h',
    'redis+cluster://hunter2%:x@h',
    'redis+cluster://:x@hunter2@h:1',
    'redis+cluster://h:0',
    'redis+cluster://h:65536',
    'redis+cluster://h:port',
    'redis+cluster://h:',
    'redis+cluster://h:1e3',
    'redis+cluster://h1,,h2',
    'redis+cluster://h1, h2',
    'redis+cluster://::1:7000',
    'redis+sentinel://:hunter2@s1',
    'redis+sentinel://:hunter2@s1/',
    'redis+sentinel://s1/main/four',
    'redis+other://h',
  ];
  for (const url of urls) {
    const error = t.throws(() => parseStoreUrl(url, ROOT), RangeError, url) as Error;
    t.notMatch(error.message, 'hunter2', url);
    t.match(error.message, /^(?:must be|has|redis\+sentinel:\/\/ needs) /, url);
  }
});

t.test('an address is displayed without user, password and options', async (t) => {
  const cases = {
    'redis://h:1/2': 'redis://h:1/2',
    'redis://u:hunter2@h:1/2': 'redis://h:1/2',
    'redis://:hun@ter2@h': 'redis://h',
    'redis://:hun/ter2@h': 'redis://h',
    'redis://h:1?password=hunter2': 'redis://h:1',
    'redis+cluster://u:hunter2@h1:1,h2:2/': 'redis+cluster://h1:1,h2:2/',
    'redis+sentinel://:hunter2@s1/main/3': 'redis+sentinel://s1/main/3',
    'file:data/a@b?.db': 'file:data/a@b?.db',
    'file:///a//b@c.db': 'file:///a//b@c.db',
  };
  for (const [url, shown] of Object.entries(cases)) t.equal(describeStoreUrl(url), shown);
});
