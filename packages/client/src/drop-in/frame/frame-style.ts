// Style sheet of the frame page.

/**
 * The page sets the sizes: `--least-height` is the frame height in its layout. The root has the color scheme of the frame
 * element: with another one browsers paint an opaque background, also outside of the round corners.
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

/** Applies the style sheet in a form that a policy without `style-src` allows. */
export function applyStyle(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [sheet];
}
