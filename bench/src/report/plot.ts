// Draws verdicts as an SVG: one line for each, as a multiple of its bound.
import { describeBound, formatNumber, type Verdict } from './report.js';

const WIDTH = 800;
const ROW = 34;
const TOP = 78;
const LEFT = 20;
const PLOT = 560;
/** Where the bound is, in pixels from the left. Values at or beyond twice the bound are drawn at the right edge. */
const BOUND_X = LEFT + PLOT / 2;

const STYLE = `
    text { fill: #1f2933; font: 12px system-ui, sans-serif }
    .title { font-size: 14px; font-weight: 600 }
    .track { stroke: #d5dbe1 }
    .bound { stroke: #52606d; stroke-width: 2 }
    .kept { fill: #1b7f4d; stroke: #1b7f4d }
    .missed { fill: #c2410c; stroke: #c2410c }
    @media (prefers-color-scheme: dark) {
      text { fill: #e4e9ee }
      .track { stroke: #3b4650 }
      .bound { stroke: #9aa8b5; stroke-width: 2 }
      .kept { fill: #4cc38a; stroke: #4cc38a }
      .missed { fill: #fb923c; stroke: #fb923c }
    }`;

export interface Plot {
  readonly program: string;
  readonly title: string;
  /** The machine, the day, and whether others used it. */
  readonly measuredOn: string;
  readonly verdicts: readonly Verdict[];
}

/** Returns the text of an SVG that is readable on a light and a dark page. */
export function drawPlot({ program, title, measuredOn, verdicts }: Plot): string {
  const height = TOP + verdicts.length * ROW + 14;
  const description = verdicts.map(describe).join(' ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">
  <title id="title">${escapeText(`${program}: ${title}`)}</title>
  <desc id="description">${escapeText(description)}</desc>
  <style>${STYLE}
  </style>
  <text class="title" x="${LEFT}" y="24">${escapeText(program)}: results beside their bounds</text>
  <text x="${LEFT}" y="44">${escapeText(measuredOn)}</text>
  <text x="${BOUND_X}" y="66" text-anchor="middle">bound</text>
${verdicts.map(drawVerdict).join('\n')}
</svg>
`;
}

function drawVerdict(verdict: Verdict, at: number): string {
  const y = TOP + at * ROW + 22;
  const { bound, unit, isKept } = verdict;
  const limit = 'atLeast' in bound ? bound.atLeast : bound.atMost;
  const x = (value: number) => Math.round(LEFT + (PLOT * Math.min(2, multiple(value, limit))) / 2);
  const good = 'atLeast' in bound ? '≥' : '≤';
  const value = `${formatNumber(verdict.median)}${unit && ` ${unit}`} (${good} ${limit.toLocaleString('en')})`;
  return [
    `  <text x="${LEFT}" y="${y - 9}">${escapeText(verdict.name)}</text>`,
    `  <line class="track" x1="${LEFT}" y1="${y}" x2="${LEFT + PLOT}" y2="${y}"/>`,
    `  <line class="bound" x1="${BOUND_X}" y1="${y - 7}" x2="${BOUND_X}" y2="${y + 7}"/>`,
    `  <g class="${isKept ? 'kept' : 'missed'}"><line stroke-width="3" x1="${x(verdict.low)}" y1="${y}" x2="${x(verdict.high)}" y2="${y}"/><circle cx="${x(verdict.median)}" cy="${y}" r="4.5"/></g>`,
    `  <text x="${LEFT + PLOT + 14}" y="${y + 4}">${escapeText(value)}${isKept ? '' : ' missed'}</text>`,
  ].join('\n');
}

function multiple(value: number, bound: number): number {
  if (bound === 0) return value === 0 ? 1 : 2;
  return value / bound;
}

function describe({ name, median, unit, bound, isKept }: Verdict): string {
  return `${name}: ${formatNumber(median)}${unit && ` ${unit}`}, ${describeBound(bound, unit)}${isKept ? '' : ', missed'}.`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
