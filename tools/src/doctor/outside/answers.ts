// Checks that no gateway caches or compresses responses, or removes their headers.

import { type Answer, lists, textOf } from '../answer.js';
import { type Finding, good, problem, warning } from '../report.js';

interface AnswerFacts {
  /** Responses to the same challenge request, in order. */
  readonly issued: readonly Answer[];
  /** Responses by request, as displayed: `GET /profile`. */
  readonly answers: Readonly<Record<string, Answer>>;
}

/** Requires a new challenge each time, and on every response `no-store`, the security headers and no compression. */
export function diagnoseAnswers({ issued, answers }: AnswerFacts): Finding[] {
  const found: Finding[] = [];
  const tokens = issued.map((answer) => textOf(answer, 'token')).filter(Boolean);
  if (new Set(tokens).size < tokens.length) {
    found.push(
      problem(
        'answers_cached',
        'Two requests got the same challenge: a proxy caches responses.',
        'Disable caching for all Tollgate routes: this cache ignores Cache-Control: no-store.',
      ),
    );
  }
  const came = Object.entries(answers).filter(([, { status }]) => status !== 0);
  const named = (isWrong: (answer: Answer) => boolean) =>
    came.filter(([, answer]) => isWrong(answer)).map(([name]) => name);

  const storable = named((answer) => !lists(answer, 'cache-control', 'no-store'));
  if (storable.length > 0) {
    found.push(
      problem(
        'no_store_missing',
        `Cache-Control: no-store is missing from ${storable.join(', ')}.`,
        'Let the gateway pass Cache-Control on unchanged; otherwise browsers and caches store tokens.',
      ),
    );
  }
  const compressed = named(({ headers }) => /gzip|deflate|br|zstd/.test(headers['content-encoding'] ?? ''));
  if (compressed.length > 0) {
    found.push(
      warning(
        'compressed',
        `The gateway compresses ${compressed.join(', ')}.`,
        'Disable compression for the Tollgate routes: lengths reveal tokens (BREACH), and little is saved.',
      ),
    );
  }
  const bare = named(({ headers }) => headers['x-content-type-options'] !== 'nosniff');
  if (bare.length > 0) {
    found.push(
      warning(
        'security_headers_missing',
        `The security headers are missing from ${bare.join(', ')}.`,
        'Let the gateway pass X-Content-Type-Options, Content-Security-Policy and Referrer-Policy on.',
      ),
    );
  }
  return found.length > 0 ? found : [good('answers', 'Responses arrive unchanged and uncached.')];
}
