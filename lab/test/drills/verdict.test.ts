// The verdict on a drill: which runs break which bounds.

import t from 'tap';
import { defineDrill } from '../../src/drills/drill.js';
import { openLedger } from '../../src/drills/ledger/ledger.js';
import type { Exchange } from '../../src/drills/ledger/timeline.js';
import { judge, type Run } from '../../src/drills/verdict.js';

const drill = defineDrill({
  name: 'example',
  title: 'An example.',
  open: async () => ({ environment: {} }),
  fault: async () => {},
  lastFailureMs: 1_000,
});

const at = (endedMs: number, failure?: string, operation = 'refresh'): Exchange => ({
  operation,
  sentMs: endedMs - 10,
  endedMs,
  failure,
});

/** A fault from 1,000 to 3,000 ms. */
const run = (changes: Partial<Run> = {}): Run => ({
  ledger: openLedger(),
  exchanges: [at(900), at(2_000, '503 store_unavailable'), at(3_500, 'timeout'), at(3_600)],
  faultMs: 1_000,
  recoveredMs: 3_000,
  inspection: { looked: {}, unanswered: 0 },
  accidents: [],
  leftovers: [],
  findings: [],
  ...changes,
});

const brokenBy = (changes: Partial<Run>, bounds: Partial<typeof drill> = {}, timed = true) =>
  judge({ ...drill, ...bounds }, run(changes), { timed }).broken;

t.test('a run within its bounds passes, with its numbers', async (t) => {
  t.match(judge(drill, run(), { timed: true }), {
    passed: true,
    broken: [],
    requests: 4,
    failures: { 'refresh: 503 store_unavailable': 1, 'refresh: timeout': 1 },
    longestGapMs: 2_700,
    lastFailureMs: 500,
  });
});

t.test('operations without the store do not shorten a gap', async (t) => {
  const exchanges = [at(1_000), at(1_500, undefined, 'verify'), at(2_000)];
  t.equal(judge(drill, run({ exchanges }), { timed: true }).longestGapMs, 1_000);
});

t.test('a late failure breaks the bound, from the end of the fault or from its beginning', async (t) => {
  const exchanges = [at(4_100, 'timeout')];
  t.match(brokenBy({ exchanges }), [/last failure 1\.1 s after the end of the fault, 1\.0 s allowed/]);
  t.match(brokenBy({ exchanges }, { fromFault: true }), [/last failure 3\.1 s after the beginning/]);
  t.same(brokenBy({ exchanges }, {}, false), [], 'where times count');
});

t.test('too many failures, and any before the fault, break the bound', async (t) => {
  t.match(brokenBy({}, { mostFailures: 0 }), ['2 failures, 0 allowed']);
  t.match(brokenBy({ exchanges: [at(500, 'timeout')] }), [/1 failures before the fault/]);
});

t.test('a mistake breaks the drill, unless it is inherent there', async (t) => {
  const ledger = openLedger();
  ledger.noteMistake('login lost', 'session 7');
  t.match(brokenBy({ ledger }), ['login lost: 1 (session 7)']);
  const inherent = { mistakes: ['login lost'] as const, why: 'An example.' };
  t.same(brokenBy({ ledger }, { inherent }), []);
  ledger.noteMistake('spent work accepted again', 'by the login');
  t.match(brokenBy({ ledger }, { inherent }), [/^spent work accepted again: 1/]);
});

t.test('unexpected behaviour of processes and leftovers break the drill', async (t) => {
  t.same(brokenBy({ accidents: ['session-service 1 ended by itself with 1'] }), [
    'session-service 1 ended by itself with 1',
  ]);
  t.same(brokenBy({ leftovers: ['process 7'] }), ['left behind: process 7']);
  t.same(brokenBy({ findings: ['it started'] }), ['it started']);
  t.same(brokenBy({ inspection: { looked: {}, unanswered: 2 } }), ['2 requests afterwards got no response']);
});
