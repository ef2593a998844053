// An HTML page with the samples of a preset side by side.

import type { Sample } from './samples.js';

/** A sample, and the name of its image file in the folder of the page. */
interface SheetSample extends Sample {
  readonly file: string | null;
}

/** Returns the page as HTML. It loads nothing but the images in its folder. */
export function contactSheet(title: string, about: string, samples: readonly SheetSample[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
  body { margin: 2rem; font: 1rem/1.4 system-ui, sans-serif; color: #222; background: #fff; }
  main { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1.5rem; }
  figure { margin: 0; }
  img { max-width: 100%; border: 1px solid #ccc; }
  pre { margin: 0; overflow: auto; padding: 0.5rem; border: 1px solid #ccc; }
</style>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(about)}</p>
<main>
${samples.map(figure).join('\n')}
</main>
</html>
`;
}

function figure({ file, fields, answer }: SheetSample, at: number): string {
  const image = file === null ? '' : `<img src="${escapeHtml(encodeURI(file))}" alt="Sample ${at + 1}">`;
  const shown =
    Object.keys(fields).length === 0 ? '' : `<pre>${escapeHtml(JSON.stringify(fields, null, 2))}</pre>`;
  const caption = answer === undefined ? `${at + 1}` : `${at + 1}: <code>${escapeHtml(answer)}</code>`;
  return `<figure>${image}${shown}<figcaption>${caption}</figcaption></figure>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
