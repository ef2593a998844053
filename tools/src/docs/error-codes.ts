// Collects every error code on the wire: status, meaning, English message and senders.
import { isMessageKey, messageIn } from '@tollgate/shared/messages';
import { reachableFrom, readSources, type SourceFile } from './source-files.js';

/** An error code and its class. */
interface ErrorCode {
  /** The wire format: lower snake case. */
  readonly code: string;
  readonly status: number;
  /** The description of its class. */
  readonly meaning: string;
  /** `challenge-service`, `session-service`, or a host application that uses `guard` or `bearer-guard`. */
  readonly senders: readonly string[];
  /** The message in English. */
  readonly text: string;
}

const classes = /\/\*\* ([^*]+?) \*\/\nexport const (\w+) = defineError\('([A-Z_]+)', (\d{3})\)/g;
const gatewayAnswers = /sendError\([^,]+, (\d{3}), '([a-z_]+)'/g;

const entries = [
  ['challenge-service', ['services/challenge-service/src/service.ts']],
  ['session-service', ['services/session-service/src/app.ts', 'services/session-service/src/admin.ts']],
  ['guard', ['packages/fastify/src/challenge-guard.ts']],
  ['bearer-guard', ['packages/fastify/src/bearer-guard.ts']],
] as const;

/** The codes of both services and of the guard, in alphabetical order. */
export function errorCodes(): ErrorCode[] {
  const sources = readSources().filter(({ path }) => /\/(?:src|extensions)\//.test(path));
  const reached = entries.map(([sender, paths]) => ({
    sender,
    files: new Set(paths.flatMap((path) => [...reachableFrom(path, sources)])),
  }));
  return sources
    .flatMap((source) =>
      [...source.text.matchAll(classes)].map(([, meaning = '', name = '', upperCode = '', status]) => {
        const code = upperCode.toLowerCase();
        const throwers = filesThatName(name, source, sources);
        return {
          code,
          status: Number(status),
          meaning,
          senders: reached.flatMap(({ sender, files }) =>
            throwers.some((path) => files.has(path)) ? [sender] : [],
          ),
          text: isMessageKey(code) ? messageIn('en', code) : '',
        };
      }),
    )
    .sort((a, b) => (a.code < b.code ? -1 : 1));
}

/** The local gateway's codes with their statuses; its messages are only in English. */
export function gatewayCodes(): { code: string; status: number }[] {
  const gateway = readSources().find(({ path }) => path === 'tools/src/gateway/gateway.ts');
  return [...(gateway?.text ?? '').matchAll(gatewayAnswers)]
    .map(([, status, code = '']) => ({ code, status: Number(status) }))
    .sort((a, b) => a.status - b.status);
}

/** Files that use a class: those that import its file and name it, and its own file if it does. */
function filesThatName(name: string, definition: SourceFile, sources: readonly SourceFile[]): string[] {
  const uses = ({ text }: SourceFile) => withoutComments(text).split(new RegExp(`\\b${name}\\b`)).length - 1;
  return sources
    .filter((source) =>
      source.path === definition.path
        ? uses(source) > 1
        : source.imports.includes(definition.path) && uses(source) > 0,
    )
    .map(({ path }) => path);
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
}
