// The mutants of a Lua script or of a gateway configuration, line by line.
import type { Change } from './mutate-module.js';

type Rule = readonly [found: RegExp, mutant: (text: string) => string];

const increased = (number: string) => String(Number(number) + 1);
const OF_LUA: readonly Rule[] = [
  [/ == /g, () => ' ~= '],
  [/ ~= /g, () => ' == '],
  [/ < /g, () => ' <= '],
  [/ <= /g, () => ' < '],
  [/ > /g, () => ' >= '],
  [/ >= /g, () => ' > '],
  [/ and /g, () => ' or '],
  [/ or /g, () => ' and '],
  [/ \+ /g, () => ' - '],
  [/ - /g, () => ' + '],
  [/ \* /g, () => ' / '],
  [/ \/ /g, () => ' * '],
  [/\bnot /g, () => ''],
  [/\btrue\b/g, () => 'false'],
  [/\bfalse\b/g, () => 'true'],
  [/(?<=\bif ).+(?= then\b)/g, () => 'true'],
  [/(?<=\bif ).+(?= then\b)/g, () => 'false'],
  [/(?<![\w.'[-])\d+(?![\w.'\]])/g, increased],
  [/^redis\.call\(.*\)$/g, () => ''],
  [/^[\w.]+ = (?!function|\{$).*$/g, () => ''],
];
const OF_GATEWAYS: readonly Rule[] = [
  // A whole directive.
  [/^[^{}#]+;$/g, () => ''],
  [/^(?!server|listen|upstream|bind|frontend|backend|defaults|global)[^{};#]+[^{};#\s,\\]$/g, () => ''],
  [/(?<=[\s=])\d+(?=(?:[smkMKG]|ms|MB|KB|d|h)?[\s;])/g, (number) => (number === '0' ? '1' : `${number}0`)],
  [/\bon(?=;)/g, () => 'off'],
  [/\boff(?=;)/g, () => 'on'],
  [/!(?=[{~@\w])/g, () => ''],
  [/ = (?=\/)/g, () => ' '],
];

/** Returns the changes of a file other than a module. */
export function changesOfLines(file: string, text: string): Change[] {
  const isLua = file.endsWith('.lua');
  const found: Change[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    const code = isLua ? line.replace(/\s*--.*$/, '') : line.replace(/(^|\s)#.*$/, '').trimEnd();
    const indent = code.length - code.trimStart().length;
    for (const [pattern, mutant] of isLua ? OF_LUA : OF_GATEWAYS) {
      for (const match of code.slice(indent).matchAll(pattern)) {
        const at = start + indent + match.index;
        found.push({ start: at, end: at + match[0].length, text: mutant(match[0]) });
      }
    }
    start += line.length + 1;
  }
  return found;
}
