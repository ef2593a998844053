// A recorded mutant: identified by its line, so that it is found again after the surrounding code has moved.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { changesOfLines } from './mutate-lines.js';
import { type Change, changesOf, isModule, type NamedFunction, namedFunctions } from './mutate-module.js';
import { ROOT, type Source } from './sources.js';

/** One line of the record. */
export interface Mutant {
  readonly room: string;
  /** Source file, below the project's folder. */
  readonly file: string;
  /** The innermost named function; empty outside of functions. */
  readonly function: string;
  /** The changed line; in a module the compiled one, which is the source without types. */
  readonly line: string;
  /** Which of several equal lines of the function, from 1. */
  readonly nth: number;
  readonly mutant: string;
  /** Test file that failed. */
  readonly killedBy?: string;
  /** Seconds until it failed. */
  readonly seconds?: number;
  /** Number of test files that passed with the mutant. */
  readonly survived?: number;
}

/** Where a mutant is applied. */
export interface Place {
  readonly source: Source;
  readonly text: string;
  readonly changed: string;
  /** Offset of the first changed character. */
  readonly offset: number;
  readonly functionName: string;
}

interface Line {
  readonly start: number;
  readonly text: string;
  readonly function: string;
}

export function read({ runs }: Source): string {
  return readFileSync(join(ROOT, runs), 'utf8');
}

/** Returns all mutants of a source; of a module also those that cannot be parsed. */
export function mutantsOf(source: Source): Mutant[] {
  const text = read(source);
  const isCode = source.runs.endsWith('.js');
  const lines = linesOf(source, text);
  const changes = isCode ? changesOf(text) : changesOfLines(source.runs, text);
  return changes.map((change) => {
    const line = lines.findLast(({ start }) => start <= change.start)!;
    const mutant = applied(line.text, {
      ...change,
      start: change.start - line.start,
      end: change.end - line.start,
    });
    const equals = lines.filter((each) => isSame(each, line));
    return {
      room: source.room,
      file: source.file,
      function: line.function,
      line: line.text.trim(),
      nth: equals.indexOf(line) + 1,
      mutant: mutant.trim(),
    };
  });
}

/** Whether the mutant of a source can be loaded. */
export function canLoad(mutant: Mutant, source: Source): boolean {
  const changed = placesIn([source], mutant)[mutant.nth - 1]?.changed;
  return changed !== undefined && (!source.runs.endsWith('.js') || isModule(changed));
}

/**
 * Finds a mutant in the working tree: in its file, otherwise in one of the same name, otherwise in any, where the line must
 * be unique.
 * @returns undefined if the line is gone
 */
export function placeOf(mutant: Mutant, sources: readonly Source[]): Place | undefined {
  const isNamed = ({ file }: Source) => basename(file) === basename(mutant.file);
  const own = sources.filter(({ file }) => file === mutant.file);
  const found = [own, sources.filter(isNamed), sources].map((some) => placesIn(some, mutant));
  const [here = [], ...elsewhere] = found;
  return here[mutant.nth - 1] ?? elsewhere.find((places) => places.length === 1)?.[0];
}

function placesIn(sources: readonly Source[], { function: name, line, mutant }: Mutant): Place[] {
  return sources.flatMap((source) => {
    const text = read(source);
    if (!text.includes(line)) return [];
    return linesOf(source, text)
      .filter((each) => each.text.trim() === line && each.function === name)
      .map((each) => {
        const start = each.start + each.text.indexOf(line);
        const changed = applied(text, { start, end: start + line.length, text: mutant });
        let same = 0;
        while (same < line.length && line[same] === mutant[same]) same += 1;
        return { source, text, changed, offset: start + same, functionName: name };
      });
  });
}

function applied(text: string, { start, end, text: replacement }: Change): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function linesOf({ runs }: Source, text: string): Line[] {
  const functions = runs.endsWith('.js') ? namedFunctions(text) : [];
  let start = 0;
  return text.split('\n').map((line) => {
    const described = { start, text: line, function: functionAt(functions, start, start + line.length - 1) };
    start += line.length + 1;
    return described;
  });
}

/** The function that contains the end of a line, otherwise the one that begins on it. */
function functionAt(functions: readonly NamedFunction[], start: number, last: number): string {
  const around = functions.findLast((each) => each.start <= last && last < each.end);
  return (around ?? functions.find((each) => start <= each.start && each.start <= last))?.name ?? '';
}

const isSame = (one: Line, other: Line): boolean =>
  one.text.trim() === other.text.trim() && one.function === other.function;
