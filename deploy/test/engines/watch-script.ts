// The script that every page of these tests loads first: it tells the front of errors and of breaches of the policy.

/** Where the front serves the script, and takes what it tells. */
export const watchPath = '/watch.js';

export const watchScript = `{
  const tell = (text) => navigator.sendBeacon('${watchPath}', location.pathname + ': ' + text);
  addEventListener('error', ({ message }) => message && tell(message));
  addEventListener('unhandledrejection', ({ reason }) => tell([reason, reason?.stack].join(' ')));
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample, sourceFile, lineNumber }) =>
    tell([violatedDirective, blockedURI, sample, sourceFile, lineNumber].join(' ')));
}`;
