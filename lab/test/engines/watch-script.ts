// The first script of every test page: reports errors and policy violations to the front, and removes the soft shadow of the
// cards, because WebKit without a graphics card redraws it with each change and spends most of its time on that.

/** Where the front serves the script, and receives its reports. */
export const watchPath = '/watch.js';

export const watchScript = `{
  const flat = new CSSStyleSheet();
  flat.replaceSync(':root { --shadow: none !important }');
  document.adoptedStyleSheets = [flat];
  const tell = (text) => navigator.sendBeacon('${watchPath}', location.pathname + ': ' + text);
  addEventListener('error', ({ message }) => message && tell(message));
  addEventListener('unhandledrejection', ({ reason }) => tell([reason, reason?.stack].join(' ')));
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample, sourceFile, lineNumber }) =>
    tell([violatedDirective, blockedURI, sample, sourceFile, lineNumber].join(' ')));
}`;
