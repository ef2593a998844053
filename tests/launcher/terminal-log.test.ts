// The part of a service's log that reaches the terminal.

import { readableLine } from '@tollgate/tools/launcher/terminal-log.js';
import t from 'tap';

const line = (entry: object) => readableLine('session-service', JSON.stringify(entry));

t.test('warnings and errors become one readable line', async (t) => {
  t.equal(
    line({ level: 'warn', msg: 'keys may be evicted' }),
    'session-service warning: keys may be evicted',
  );
  t.equal(
    line({ level: 'error', msg: 'request', err: { message: 'boom' } }),
    'session-service error: request: boom',
  );
  t.equal(line({ level: 'fatal', msg: 'boom', err: { message: 'boom' } }), 'session-service error: boom');
});

t.test('everything else stays in the file', async (t) => {
  t.equal(line({ level: 'info', msg: 'request' }), undefined);
  t.equal(line({ level: 'warn', msg: 'not ready', check: 'store' }), undefined);
  t.equal(line({ level: 'warn', msg: 'the second one draws', driver: 'x' }), undefined);
  t.equal(readableLine('session-service', 'plain words'), undefined);
  t.equal(readableLine('session-service', '{broken'), undefined);
});
