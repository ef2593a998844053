// Reads what the tests need out of Markdown: tables, links, blocks of code, headings.

/** A table: the cells of its head, then those of each row. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The tables of a page in their order. */
export function tablesOf(page: string): Table[] {
  return [...withoutCode(page).matchAll(/(?:^\|.*\|\n)+/gm)].map(([text]) => {
    const [head = [], , ...rows] = text.trimEnd().split('\n').map(cellsOf);
    return { head, rows };
  });
}

/** The table whose first column has this title. */
export function tablesHeaded(page: string, title: string): Table[] {
  return tablesOf(page).filter(({ head }) => head[0] === title);
}

/** The blocks of code in a language. */
export function codeBlocks(page: string, language: string): string[] {
  return [...page.matchAll(/^```(\S*)\n([\s\S]*?)^```/gm)].flatMap(([, found, code = '']) =>
    found === language ? [code] : [],
  );
}

/** Targets of links and images that are no address of another site. */
export function relativeLinks(page: string): string[] {
  const inText = [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)];
  const inTags = [...withoutCode(page).matchAll(/\b(?:src|href)="([^"]+)"/g)];
  return [...inText, ...inTags].map(([, target = '']) => target).filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a page's headings, as code hosts make them. */
export function anchorsOf(page: string): Set<string> {
  const headings = [...withoutCode(page).matchAll(/^#+ (.*)$/gm)];
  return new Set(
    headings.map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** What stands between single backticks in a text. */
export function literalsIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, literal = '']) => literal);
}

function withoutCode(page: string): string {
  return page.replace(/^```[\s\S]*?^```$/gm, '');
}

function cellsOf(row: string): string[] {
  return row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
