// Style sheet shared by all elements of a page.

/** Texts use the page's colour, to be as readable as the text around them; other colours mark status only. */
const css = `
:host { display: block; color: inherit; }
:host([hidden]) { display: none; }
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
[data-loading] .words { visibility: hidden; }
p { margin: 0; }

.box {
  --accent: var(--tollgate-accent, light-dark(#14616f, #6cc3cf));
  --good: var(--tollgate-good, light-dark(#1d7048, #6fcf9b));
  --bad: var(--tollgate-bad, light-dark(#b3341a, #ff9a82));
  --ink: var(--tollgate-ink, currentColor);
  --line: var(--tollgate-line, color-mix(in srgb, currentColor 18%, transparent));
  --edge: var(--tollgate-edge, color-mix(in srgb, currentColor 58%, transparent));
  --track: var(--tollgate-track, color-mix(in srgb, currentColor 13%, transparent));
  --radius: var(--tollgate-radius, .6rem);
  --touch: max(2.75rem, 44px);
  position: relative;
  overflow: clip;
  background: var(--tollgate-surface, color-mix(in srgb, currentColor 3%, transparent));
  border: 1px solid var(--line);
  border-radius: var(--radius);
  color: var(--ink);
  font: inherit;
  font-family: var(--tollgate-font, inherit);
  line-height: 1.4;
  overflow-wrap: break-word;
  text-align: start;
}
@supports not (color: light-dark(#000, #fff)) {
  .box {
    --accent: var(--tollgate-accent, #2b8796);
    --good: var(--tollgate-good, #2a8a5b);
    --bad: var(--tollgate-bad, #cf5138);
  }
}

.status {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: .35rem .8rem;
  min-block-size: 3.75rem;
  padding: .55rem .9rem .7rem;
  outline: none;
}
.words { flex: 1 1 8rem; min-inline-size: 0; }
.title { display: block; hyphens: auto; font-weight: 600; font-size: .95em; }
.word { display: block; font-size: .875em; opacity: .82; }

.mark { flex: none; inline-size: 2.6rem; block-size: 1.75rem; overflow: visible; }
.mark .ground { stroke: currentColor; opacity: .3; stroke-width: 3; stroke-linecap: round; }
.mark .post { fill: currentColor; }
.mark .bar { fill: none; stroke: var(--sign); stroke-width: 6; stroke-linecap: round; }
.mark .lamp { fill: var(--sign); stroke: Canvas; stroke-width: 2; }
.mark .arm { transform-origin: 14px 22px; }
.box { --sign: var(--accent); }
.box[data-status="ready"] { --sign: var(--good); }
.box[data-status="error"] { --sign: var(--bad); }
[dir="rtl"] .mark { transform: scaleX(-1); }
.box[data-open] .arm { transform: rotate(-56deg); }
.box[data-status="idle"] .lamp { fill: currentColor; }

progress {
  appearance: none;
  display: block;
  inline-size: 100%;
  block-size: .25rem;
  border: 0;
  background: var(--track);
  color: var(--sign);
}
progress::-webkit-progress-bar { background: transparent; }
progress::-webkit-progress-value { background: var(--sign); border-radius: 0 1rem 1rem 0; }
progress::-moz-progress-bar { background: var(--sign); border-radius: 0 1rem 1rem 0; }
:dir(rtl) progress::-webkit-progress-value { border-radius: 1rem 0 0 1rem; }
.work { position: relative; }
.work > progress { position: absolute; inset-inline: 0; inset-block-end: 0; }

.note { padding: .5rem .9rem; font-size: .85em; border-block-start: 1px solid var(--line); }

.captcha { display: grid; grid-template-columns: minmax(0, 1fr); gap: .65rem; padding: .9rem; border-block-start: 1px solid var(--line); }
.image-part, .effort-part { display: grid; grid-template-columns: minmax(0, 1fr); gap: .45rem; min-inline-size: 0; }
label, .effort-title { font-weight: 600; font-size: .95em; }
.frame {
  justify-self: start;
  min-inline-size: min(15rem, 100%);
  max-inline-size: 100%;
  min-block-size: 5rem;
  background: #fff;
  border: 1px solid var(--line);
  border-radius: calc(var(--radius) * .75);
  overflow: clip;
}
.frame:has(> img[hidden]) { background: var(--track); }
img { display: block; inline-size: 100%; block-size: auto; aspect-ratio: auto 3 / 1; color: #1c2427; font-size: .85em; }
[data-stale] img { opacity: .3; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; }
button, input {
  min-block-size: var(--touch);
  font: inherit;
  color: inherit;
  border: 1px solid var(--edge);
  border-radius: calc(var(--radius) * .75);
}
input {
  flex: 1 1 9rem;
  min-inline-size: 0;
  padding: .5rem .75rem;
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  font-size: max(16px, 1em);
  letter-spacing: .12em;
  background: var(--tollgate-field, transparent);
}
.hint { font-size: .875em; }
.image-part[data-stale] .hint { font-weight: 600; }

button {
  padding: .45rem .9rem;
  font-weight: 600;
  font-size: .925em;
  line-height: 1.3;
  text-align: center;
  background: transparent;
  cursor: pointer;
}
button:hover { background: color-mix(in srgb, currentColor 8%, transparent); }
button:active { background: color-mix(in srgb, currentColor 14%, transparent); }
button[aria-disabled="true"], :disabled { opacity: .6; cursor: default; }
button[aria-disabled="true"]:hover { background: transparent; }
.toggle { justify-self: start; text-align: start; text-wrap: balance; font-weight: 500; }
.toggle + .hint { margin-block-start: -.3rem; }
.retry { display: none; }
[data-retry] .retry, .retry:focus { display: inline-block; }
:is(button, input):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.status:focus-visible { box-shadow: inset 0 0 0 3px var(--accent); border-radius: var(--radius); }

.effort-part progress { block-size: .5rem; border-radius: 1rem; overflow: hidden; }
.tabular { font-variant-numeric: tabular-nums; }

.visually-hidden, [data-display]:not([data-display="inline"], [data-placed]) { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.box[data-floats] {
  position: fixed;
  inset: 0 auto auto 0;
  z-index: 2147483647;
  inline-size: min(21rem, 100vw - 16px);
  background: linear-gradient(var(--tollgate-surface, color-mix(in srgb, currentColor 3%, transparent)) 0 0), Canvas;
  box-shadow: 0 .4rem 1.6rem #0004;
}
[data-late] { animation: late 1s step-end; }
@keyframes late { from { visibility: hidden; } }

@media (prefers-reduced-motion: no-preference) {
  .mark .arm { transition: transform .6s cubic-bezier(.3, 1.3, .5, 1); }
  .mark .bar, .mark .lamp { transition: stroke .3s, fill .3s; }
  progress::-webkit-progress-value { transition: inline-size .25s linear; }
}
@media (forced-colors: active) {
  .box { --sign: Highlight !important; --accent: Highlight; --line: CanvasText; --edge: ButtonText; --track: Canvas; }
  progress { border: 1px solid CanvasText; forced-color-adjust: none; background: Canvas; }
  .mark { forced-color-adjust: auto; }
  .mark .bar, .mark .lamp { stroke: CanvasText; fill: CanvasText; }
  .word, .mark .ground { opacity: 1; }
  button[aria-disabled="true"], :disabled { opacity: 1; color: GrayText; border-color: GrayText; }
}
`;

let sheet: CSSStyleSheet | undefined;

/** Returns the shared sheet. Unlike a `style` element, it works under `style-src 'self'`. */
export function styleSheet(): CSSStyleSheet {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}
