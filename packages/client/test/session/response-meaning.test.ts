// The session follows the response table in docs/client/session.md.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { meaningOf } from '../../src/session/response-meaning.js';

const page = readFileSync(new URL('../../../../../docs/client/session.md', import.meta.url), 'utf8');
const [, table = ''] = /^\| Response \| Meaning \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page) ?? [];

/** Meaning of each literal: `401 CODE`, a status, a class such as `5xx`, or `network`. */
const documented = new Map(
  table
    .trim()
    .split('\n')
    .flatMap((row) => {
      const [, answers = '', meaning = ''] = row.split('|').map((cell) => cell.trim());
      return [...answers.matchAll(/`([^`]+)`/g)].map(([, literal = '']) => [literal, meaning] as const);
    }),
);

/** Returns the meaning of the most specific entry. */
function documentedMeaning(status: number, code: string): string | undefined {
  if (status === 0) return documented.get('network');
  const names = [`${status} ${code}`, String(status), `${Math.floor(status / 100)}xx`];
  return names.map((name) => documented.get(name)).find((meaning) => meaning !== undefined);
}

t.test('every status and code has the documented meaning', async (t) => {
  const documentedCodes = [...documented.keys()].flatMap((name) => name.split(' ')[1] ?? []);
  t.equal(documentedCodes.length, 5);
  const codes = [
    ...documentedCodes,
    ...['network', 'invalid_answer', 'rate_limited', 'store_unavailable', 'insufficient_user_authentication'],
  ];
  for (const status of [0, ...Array.from({ length: 400 }, (_, at) => at + 200)]) {
    for (const code of [...codes, `http_${status}`]) {
      const expected = documentedMeaning(status, code);
      if (meaningOf(status, code) !== expected)
        t.equal(meaningOf(status, code), expected, `${status} ${code}`);
    }
  }
});
