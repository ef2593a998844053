// Generates docs/reliability.md from the drills and the kept results of their last runs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../launcher/local-environment.js';
import { drills } from './catalogue.js';
import type { Drill } from './drill.js';
import type { Mistake } from './ledger/ledger.js';
import { type DrillResult, seconds } from './verdict.js';

/** Where the results are kept, from the project's root. */
export const RESULTS_FILE = 'docs/reliability.json';

/** What is kept of a run. */
export interface KeptResult
  extends Pick<DrillResult, 'passed' | 'requests' | 'longestGapMs' | 'lastFailureMs' | 'mistakes'> {
  /** The day, as in `2026-11-22`. */
  readonly measured: string;
  readonly failed: number;
  readonly unknown: number;
}

/** Results by the name of the drill. */
export type KeptResults = Readonly<Record<string, KeptResult>>;

/** The kept results. */
export function readResults(): KeptResults {
  return JSON.parse(readFileSync(join(projectRoot, RESULTS_FILE), 'utf8'));
}

/** What is kept of a result. @param measured the day */
export function keptOf(result: DrillResult, measured: string): KeptResult {
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  const { passed, requests, failures, longestGapMs, lastFailureMs, mistakes, unknown } = result;
  return {
    measured,
    passed,
    requests,
    failed: sum(failures),
    longestGapMs,
    lastFailureMs,
    mistakes,
    unknown: sum(unknown),
  };
}

/** The text of the page. */
export function reliabilityPage(results: KeptResults): string {
  const inherent = drills.filter((drill) => drill.inherent !== undefined);
  return `# Reliability

<!-- Written by \`npm run docs\` from the drills in the code and docs/reliability.json. Do not edit. -->

A drill starts the real system (two processes of each service behind the gateway that ships, real stores), puts about 40
mixed operations a second on it, breaks something, lets it recover, and then asks again for everything that was acknowledged.

\`\`\`sh
npm run drill                       # lists the drills
npm run drill -- sentinel-frozen    # runs one, in 20 to 60 seconds; exits with 1 if a bound is broken
npm run drill -- all --write        # runs all and writes the results into this page
\`\`\`

They need Linux, Redis and Caddy; some need PostgreSQL, a C compiler or root, and are skipped without. Run them on a machine
that does nothing else: a store that answers later than 0.5 s is a store that does not answer.

## What is compared

The load keeps a ledger of what it sent and what was answered. It uses no code of the services.

| Answered | Must hold afterwards |
|---|---|
| a proof of work was issued | it is accepted |
| a log-in succeeded | the session can be refreshed |
| a session was refreshed | it can be refreshed again |
| a log-out succeeded | its cookie is refused, and after a second its access token, by every process |
| a submission was accepted | it is refused when it is offered again, to the log-in and to the host API |
| a wrong password, or an attempt in an application, was counted | the price of the next work, or the next answer, shows it, once |

A request that was not answered, or with a 5xx, has an unknown effect. It is counted, and left out of the comparison. In
addition, no process may end by itself, every service must stop within its drain and two seconds, and no drill may leave a
process, a socket or a file behind.

## Results

*Failed* are requests without the expected answer. *Longest gap* is the longest time in which nothing that needs the store was
answered as expected. *Last failure* is counted from the end of the fault, or where marked with † from its beginning.
*Lost* are acknowledged log-ins, counted attempts and issued work; *accepted again* are spent work and ended sessions;
*logged out* are sessions that ended though nobody ended them. All three must be 0, except where marked with ‡: see below.

| Drill | What happens | Requests | Failed | Unknown | Longest gap | Last failure | Allowed | Lost | Accepted again | Logged out | Verdict |
|---|---|---|---|---|---|---|---|---|---|---|---|
${drills.map((drill) => row(drill, results[drill.name])).join('\n')}

## What cannot be prevented

| Drill | Why | What makes it smaller |
|---|---|---|
${inherent.map((drill) => `| \`${drill.name}\` | ${drill.inherent?.why} | ${drill.inherent?.setting ?? ''} |`).join('\n')}

**Replication of Redis is asynchronous.** A master answers before its replicas have what it wrote. If it dies in that moment,
or goes on accepting writes while a replica takes its place, what it answered then is lost: a log-in, a log-out, a spent
challenge, a counted attempt. The drills lose nothing, because the services leave such a master at once, but nothing in
a client can exclude it. \`min-replicas-to-write 1\` with two replicas or more and a short \`min-replicas-max-lag\` makes a master
that has lost its replicas refuse to write.

**A crash of the whole machine** takes with it what the operating system has not yet written to the disk. With
\`appendfsync everysec\`, the default, that is up to a second of everything acknowledged; with \`appendfsync always\` nothing. The
drills kill processes, which loses nothing with \`appendonly yes\`.

**Snapshots alone** bring back an older state: spent challenges can be spent again, and ended sessions live. Use
\`appendonly yes\`.
`;
}

function row(drill: Drill, result: KeptResult | undefined): string {
  const allowed = `${seconds(drill.lastFailureMs)}${drill.fromFault ? ' †' : ''}`;
  const cells = result === undefined ? Array.from({ length: 9 }, () => 'not run') : cellsOf(result);
  cells.splice(5, 0, drill.mostFailures === 0 ? 'no failure' : allowed);
  const name = `\`${drill.name}\`${drill.inherent === undefined ? '' : ' ‡'}`;
  return `| ${[name, drill.title, ...cells].join(' | ')} |`;
}

function cellsOf(result: KeptResult): string[] {
  const { requests, failed, unknown, longestGapMs, lastFailureMs, mistakes, passed, measured } = result;
  const sum = (...kinds: Mistake[]) => String(kinds.reduce((total, kind) => total + mistakes[kind], 0));
  return [
    String(requests),
    String(failed),
    String(unknown),
    seconds(longestGapMs),
    lastFailureMs === null ? 'none' : seconds(lastFailureMs),
    sum('issued work lost', 'log-in lost', 'attempt lost', 'attempt counted twice'),
    sum('spent work accepted again', 'ended session accepted again'),
    sum('logged out by accident'),
    `${passed ? 'passed' : '**failed**'} ${measured}`,
  ];
}
