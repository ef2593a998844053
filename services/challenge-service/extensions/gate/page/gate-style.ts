// The style of the gate's page, inlined: one request less, and no wait.

import { createHash } from 'node:crypto';

/** It has a fallback before each newer function, and no colours if the visitor's own are forced. */
export const gateStyle = `
:root { color-scheme: light dark; --ground: #f2ede3; --card: #fffdf8; --ink: #1b2528; --line: #ddd5c6; --edge: #80837f; --accent: #14505c; --on-accent: #fff; --bad: #a82a12;
  font-family: system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; line-height: 1.5; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
@media (prefers-color-scheme: dark) { :root { --ground: #0e1417; --card: #182024; --ink: #e8ecea; --line: #2c373c; --edge: #6b7a80; --accent: #6cc3cf; --on-accent: #06242a; --bad: #ff9a82; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; min-height: 100svh; display: grid; place-items: center; padding: 1rem; background: var(--ground); color: var(--ink); }
main { width: 100%; max-width: 28rem; padding: clamp(1.25rem, 6vw, 2.25rem); background: var(--card); border: 1px solid var(--line); border-radius: .9rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 .75rem; font-size: 1.45rem; line-height: 1.2; }
p { margin: 0 0 1rem; }
p:last-child, form { margin: 0; }
p:empty { display: none; }
tollgate-challenge { --tollgate-accent: var(--accent); margin-block-end: 1rem; }
img { display: block; width: 240px; max-width: 100%; height: auto; aspect-ratio: 3 / 1; margin-block-end: 1rem; background: #fff; color: #1c2427; }
label { display: block; font-weight: 600; }
input, button { font: inherit; font-size: 1rem; min-height: 2.75rem; border-radius: .5rem; }
input { width: 100%; margin-block: .35rem 1rem; padding: .5rem .75rem; background: transparent; color: inherit; border: 1px solid var(--edge); letter-spacing: .12em; }
button { padding: .5rem 1.25rem; border: 1px solid transparent; background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer; }
:is(input, button):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
button[disabled] { opacity: .6; cursor: default; }
.wrong { color: var(--bad); font-weight: 600; }
#note { margin-block: 0 1rem; }
#stuck { animation: late 6s step-end; }
noscript:has(p) ~ #stuck { display: none; }
@keyframes late { from { visibility: hidden; } }
@media (forced-colors: active) { button { border-color: ButtonText; } button[disabled] { opacity: 1; color: GrayText; } }
`;

/** Identifies the style in a policy of the page. */
export const gateStyleHash = `sha256-${createHash('sha256').update(gateStyle).digest('base64')}`;
