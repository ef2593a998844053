// The style sheet of the frame around the element.

/**
 * Sizes are set by the page: `--least-height` is the height that its layout gives the frame. The root has the color scheme
 * of the frame's element: with another one a browser paints an opaque background, outside of the round corners too.
 */
const css = `
:root { font: 14px/1.4 system-ui, sans-serif; }
body { margin: 0; color: light-dark(#1c2427, #eef3f4); color-scheme: light; }
[data-theme="dark"] body { color-scheme: dark; }
[data-theme="auto"] body { color-scheme: light dark; }
form { display: grid; gap: .5rem; }
tollgate-challenge {
  --tollgate-surface: light-dark(#fafbfb, #20282b);
  --tollgate-radius: .3rem;
}
tollgate-challenge::part(status) { min-block-size: calc(var(--least-height, 0px) - 2px); }
[hidden] { display: none !important; }
button {
  min-block-size: max(2.75rem, 44px);
  font: inherit;
  font-weight: 600;
  color: inherit;
  background: light-dark(#fafbfb, #20282b);
  border: 1px solid color-mix(in srgb, currentColor 58%, transparent);
  border-radius: .3rem;
  cursor: pointer;
}
button:focus-visible { outline: 3px solid light-dark(#14616f, #6cc3cf); outline-offset: -3px; }
`;

/** Applies it, in a form that a policy without `style-src` allows. */
export function applyStyle(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [sheet];
}
