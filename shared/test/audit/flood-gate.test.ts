// A flood of failures does not fill the disk, and still shows the affected accounts.

import { TypeCompiler } from '@sinclair/typebox/compiler';
import t from 'tap';
import { createAuditTrail, MOST_LINES, WINDOW_MS } from '../../src/audit/audit-trail.js';
import { AuditEvents, type AuditLine } from '../../src/schemas/audit-events.js';

const name = (n: number) => n.toString(16).padStart(32, '0');

function floodedTrail() {
  const lines: AuditLine[] = [];
  const counted = new Map<string, number>();
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  const count = (key: string) => counted.set(key, (counted.get(key) ?? 0) + 1);
  const trail = createAuditTrail({
    service: 'session-service',
    sink: { write: (line) => lines.push(JSON.parse(line)), close() {} },
    onEvent: (event) => count(event),
    onSuppressed: (event) => count(`suppressed ${event}`),
    clock: () => clock.nowMs,
  });
  return { trail, lines, counted, clock };
}

t.test('of 20,000 failures within a minute the first are written and the others summed up', async (t) => {
  const { trail, lines, counted, clock } = floodedTrail();
  const fail = (account: string) => trail.write({ event: 'login_failed', account });
  for (let n = 0; n < 20_000; n++) {
    clock.nowMs += 1;
    // Every fourth concerns one account, the others about 15,000 accounts.
    fail(n % 4 === 0 ? name(0) : name(n));
  }
  t.equal(lines.length, MOST_LINES);
  trail.write({ event: 'login', account: name(7), uid: 7, sid: 'a' });
  t.equal(lines.at(-1)?.event, 'login', 'what strangers cannot cause is always written');
  t.equal(counted.get('login_failed'), 20_000, 'all are counted');
  t.equal(counted.get('suppressed login_failed'), 20_000 - MOST_LINES);

  clock.nowMs += WINDOW_MS;
  fail(name(1));
  const [summary, next] = lines.slice(-2);
  t.match(summary, {
    event: 'events_suppressed',
    suppressed: 'login_failed',
    count: 20_000 - MOST_LINES,
    since: new Date(Date.UTC(2026, 0, 1) + MOST_LINES + 1).toISOString(),
    accounts: [{ account: name(0), count: 5000 - MOST_LINES / 4 }],
  });
  t.equal(next?.event, 'login_failed', 'the next window writes again');
  for (const line of lines) t.ok(TypeCompiler.Compile(AuditEvents[line.event]).Check(line));
  t.equal(lines.length, MOST_LINES + 3);
});

t.test('a refresh cookie without its key, sent repeatedly, does not fill the disk', async (t) => {
  const { trail, lines, counted } = floodedTrail();
  for (let n = 0; n <= MOST_LINES; n++)
    trail.write({ event: 'refresh_binding_missing', uid: 7, sid: 'a', kind: 'key' });
  t.equal(lines.length, MOST_LINES);
  t.equal(counted.get('suppressed refresh_binding_missing'), 1);
});

t.test('each event type has its own quota, and the remaining counts are written at the end', async (t) => {
  const { trail, lines } = floodedTrail();
  for (let n = 0; n <= MOST_LINES; n++) {
    trail.write({ event: 'api_key_refused' });
    trail.write({ event: 'login_throttled', account: name(n) });
  }
  t.equal(lines.length, 2 * MOST_LINES);
  trail.close();
  t.match(lines.slice(-2), [
    { event: 'events_suppressed', suppressed: 'api_key_refused', count: 1, accounts: [] },
    { event: 'events_suppressed', suppressed: 'login_throttled', count: 1 },
  ]);
});

t.test('after the clock was set back, failures of an hour left no trace', async (t) => {
  const { trail, lines, clock } = floodedTrail();
  const fail = () => trail.write({ event: 'login_failed', account: name(1) });
  fail();
  clock.nowMs -= 3_600_000;
  for (let n = 0; n < 2 * MOST_LINES; n++) {
    clock.nowMs += WINDOW_MS / MOST_LINES;
    fail();
  }
  t.equal(lines.length, 1 + 2 * MOST_LINES, 'no window had too many');
});

t.test('lost lines were forgotten when their report was lost too', async (t) => {
  const written: AuditLine[] = [];
  const fails = [true, true, false, true, false, false];
  const trail = createAuditTrail({
    service: 'session-service',
    sink: {
      write(line) {
        if (fails.shift()) throw new Error('the disk is full');
        written.push(JSON.parse(line));
      },
      close() {},
    },
  });
  for (let n = 0; n < 4; n++) trail.write({ event: 'test_mode_on' });
  t.match(written, [{ event: 'test_mode_on' }, { event: 'test_mode_on' }, { event: 'audit_lost', count: 3 }]);
});
