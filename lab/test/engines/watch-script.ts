// The script that every page of these tests loads first: it tells the front of errors and of breaches of the policy, and takes
// away the soft shadow of the cards, since WebKit without a graphics card draws it anew with each change and takes most of
// its time for that.

/** Where the front serves the script, and takes what it tells. */
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
