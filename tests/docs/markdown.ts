// Reads tables, links, code blocks and headings from Markdown.

/** A table: its header cells, then the cells of each row. */
interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The tables of a page in order. */
function tablesOf(page: string): Table[] {
  return [...withoutCode(page).matchAll(/(?:^\|.*\|\n)+/gm)].map(([text]) => {
    const [head = [], , ...rows] = text.trimEnd().split('\n').map(cellsOf);
    return { head, rows };
  });
}

/** The table whose first column has this title. */
export function tablesHeaded(page: string, title: string): Table[] {
  return tablesOf(page).filter(({ head }) => head[0] === title);
}

/** The code blocks of a language. */
export function codeBlocks(page: string, language: string): string[] {
  return [...page.matchAll(/^```(\S*)\n([\s\S]*?)^```/gm)].flatMap(([, found, code = '']) =>
    found === language ? [code] : [],
  );
}

/** Targets of links and images within the project. */
export function relativeLinks(page: string): string[] {
  const inText = [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)];
  const inTags = [...withoutCode(page).matchAll(/\b(?:src|href)="([^"]+)"/g)];
  return [...inText, ...inTags].map(([, target = '']) => target).filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a page's headings, in the format of code hosts. */
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

/** The texts between single backticks. */
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
