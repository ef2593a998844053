// Turns the tests' TAP into a line per test file, with what failed below it, and counts the assertions.
import { relative } from 'node:path';
import { Parser } from 'tap-parser';
import { root } from './prepare.js';

/** Reads a TAP stream to its end; resolves with the assertions that passed, failed and were skipped. */
export async function reportTap(stream) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const parser = new Parser();
  let file = newFile();
  parser.on('child', (child) => collect(child, [], file));
  parser.on('assert', (result) => {
    settle(result, [], file, file.hasChild);
    showFile(result, file);
    for (const key of Object.keys(total)) total[key] += file[key];
    file = newFile();
  });
  parser.on('child', () => {
    file.hasChild = true;
  });
  stream.pipe(parser);
  await new Promise((resolve) => parser.on('complete', resolve));
  return total;
}

const newFile = () => ({ passed: 0, failed: 0, skipped: 0, failures: [], hasChild: false });

function collect(parser, path, file) {
  const names = [...path, parser.name];
  let isSummary = false;
  let failedBefore = 0;
  parser.on('child', (child) => {
    isSummary = true;
    failedBefore = file.failed;
    collect(child, names, file);
  });
  parser.on('assert', (result) => {
    settle(result, names, file, isSummary, failedBefore);
    isSummary = false;
  });
  parser.on('bailout', (reason) => settle({ ok: false, name: `bail out: ${reason}` }, names, file, false));
}

/** The line that sums up a subtest counts only when it fails although nothing inside did. */
function settle(result, names, file, isSummary, failedBefore = 0) {
  if (result.ok || result.todo) {
    if (isSummary) return;
    if (result.skip || result.todo) file.skipped += 1;
    else file.passed += 1;
    return;
  }
  if (isSummary && file.failed > failedBefore) return;
  file.failed += 1;
  file.failures.push({ title: [...names.slice(1), result.name].join(' › '), diag: result.diag });
}

function showFile(result, { passed, failed, skipped, failures }) {
  const name = relative(root, result.name).startsWith('..') ? result.name : relative(root, result.name);
  const seconds = ((result.time ?? 0) / 1000).toFixed(1);
  const counts = [`${passed} passed`, failed && `${failed} FAILED`, skipped && `${skipped} skipped`];
  console.log(`${result.ok ? 'ok  ' : 'FAIL'} ${name}  ${counts.filter(Boolean).join(', ')}  ${seconds} s`);
  for (const { title, diag } of failures) {
    console.log(`\n     ${title}`);
    if (diag) console.log(indent(describe(diag)));
  }
}

function describe({ diff, at, stack, source, ...rest }) {
  const place = at && `${at.fileName}:${at.lineNumber}`;
  const other = Object.keys(rest).length > 0 && JSON.stringify(rest, null, 2);
  return [diff, !diff && other, place, stack, source].filter(Boolean).join('\n');
}

function indent(text) {
  return text.replace(/^/gm, '       ').trimEnd();
}
