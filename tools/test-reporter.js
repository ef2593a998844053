// The output of `node --test`: each file as it begins, each failure, the reasons of skipped tests, and the sum.
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const plain = process.stdout.isTTY ? String : stripVTControlCharacters;
const place = (path) => relative('', path ?? '');

/** A custom reporter of Node's test runner. Source: nodejs.org/api/test.html#custom-reporters */
export default async function* report(events) {
  const names = [];
  const skipped = new Set();
  let [passed, failed] = [0, 0];
  for await (const { type, data } of events) {
    if (type === 'test:dequeue' && data.name === data.file) yield `${place(data.file)}\n`;
    else if (type === 'test:stderr') yield data.message;
    else if (type === 'test:start') names.splice(data.nesting, names.length, data.name);
    else if (type === 'test:pass') {
      if (typeof data.skip === 'string') skipped.add(data.skip);
      else if (data.details.type !== 'suite') passed += 1;
    } else if (type === 'test:fail') {
      const { failureType, message, cause } = data.details.error;
      // The tests around a failure fail as well.
      if (failureType !== 'subtestsFailed') {
        failed += 1;
        yield plain(`\nFAIL ${place(data.file)}: ${names.join(' › ')}\n${cause?.stack ?? message}\n\n`);
      }
    }
    // An assertion outside of all tests has no start of its own to replace these names.
    if (/^test:(pass|fail)$/.test(type) && data.nesting === 0) names.length = 0;
  }
  for (const reason of skipped) yield `skipped: ${reason}\n`;
  yield `\n${passed} passed, ${failed} failed\n`;
}
