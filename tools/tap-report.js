// Reads the TAP output of one test file and reports its result: one line, with failures below it.
import { relative } from 'node:path';
import { Parser } from 'tap-parser';
import { root } from './prepare.js';

/**
 * @typedef {object} FileCounts
 * @property {number} passed assertions
 * @property {number} failed assertions; at least 1 if the file did not follow its plan
 * @property {number} skipped assertions
 * @property {{ title: string, diag?: object }[]} failures failed assertions, with the names of their tests
 */

/** Reads a TAP stream until its end. @returns {Promise<FileCounts>} */
export async function readTap(stream) {
  const parser = new Parser();
  const file = { passed: 0, failed: 0, skipped: 0, failures: [] };
  collect(parser, [], file);
  const completed = new Promise((resolve) => parser.on('complete', resolve));
  stream.pipe(parser);
  const { ok, failures } = await completed;
  if (!ok && file.failed === 0) {
    const reason = failures.map(({ tapError }) => tapError).find(Boolean);
    settle({ ok: false, name: reason ?? 'the file failed' }, [], file, false);
  }
  return file;
}

function collect(parser, names, file) {
  let isSummary = false;
  let failedBefore = 0;
  parser.on('child', (child) => {
    isSummary = true;
    failedBefore = file.failed;
    collect(child, [...names, child.name], file);
  });
  parser.on('assert', (result) => {
    settle(result, names, file, isSummary, failedBefore);
    isSummary = false;
  });
  parser.on('bailout', (reason) => settle({ ok: false, name: `bail out: ${reason}` }, names, file, false));
}

/** A subtest's summary line counts only if it fails without a failure inside. */
function settle(result, names, file, isSummary, failedBefore = 0) {
  if (result.ok || result.todo) {
    if (isSummary) return;
    if (result.skip || result.todo) file.skipped += 1;
    else file.passed += 1;
    return;
  }
  if (isSummary && file.failed > failedBefore) return;
  file.failed += 1;
  file.failures.push({ title: [...names, result.name].join(' › '), diag: result.diag });
}

/** Prints the line of a file, its failures, and its output beside TAP. */
export function showFile({ path, seconds, busySeconds, passed, failed, skipped, failures, said }) {
  const counts = [`${passed} passed`, failed && `${failed} FAILED`, skipped && `${skipped} skipped`];
  const state = failed === 0 ? 'ok  ' : 'FAIL';
  console.log(
    `${state} ${nameOf(path)}  ${counts.filter(Boolean).join(', ')}  ${seconds.toFixed(1)} s${busy(busySeconds)}`,
  );
  for (const { title, diag } of failures) {
    console.log(`\n     ${title}`);
    if (diag) console.log(indent(describe(diag)));
  }
  if (said) console.log(indent(said));
}

/**
 * Prints the slowest files first, with their processor time, which shows the cost of a file on a busy machine, too.
 */
export function showSlowest(files, count) {
  const slowest = [...files].sort((a, b) => b.seconds - a.seconds).slice(0, count);
  console.log('\nThe slowest files:');
  for (const { path, seconds, busySeconds } of slowest)
    console.log(`${seconds.toFixed(1).padStart(7)} s${busy(busySeconds)}  ${nameOf(path)}`);
  const all = files.reduce((sum, { busySeconds = 0 }) => sum + busySeconds, 0);
  console.log(`All ${files.length} files used ${all.toFixed(0)} s of processor time.`);
}

/** Processor time as a suffix for the seconds; empty if the machine does not report it. */
function busy(seconds) {
  return seconds === undefined ? '' : `, ${seconds.toFixed(1)} s busy`;
}

function nameOf(path) {
  return relative(root, path).startsWith('..') ? path : relative(root, path);
}

function describe({ diff, at, stack, source, ...rest }) {
  const place = at && `${at.fileName}:${at.lineNumber}`;
  const other = Object.keys(rest).length > 0 && JSON.stringify(rest, null, 2);
  return [diff, !diff && other, place, stack, source].filter(Boolean).join('\n');
}

function indent(text) {
  return text.replace(/^/gm, '       ').trimEnd();
}
