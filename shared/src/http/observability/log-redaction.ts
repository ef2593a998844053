// Keeps secrets, and what names a person, out of the log.

// Compared in lower case without - and _.
const HIDDEN = new Set(
  [
    ['authorization', 'proxyauthorization', 'cookie', 'cookies', 'setcookie', 'headers', 'rawheaders'],
    ['password', 'newpassword', 'hash', 'secret', 'secrets', 'apikey', 'hostkey'],
    ['accesssecret', 'refreshsecret', 'encryptionkey', 'challengesecret'],
    ['hostapikey', 'hostapikeys', 'sessionapikey', 'demopassword'],
    ['token', 'tokens', 'accesstoken', 'refreshtoken', 'jwt', 'scope', 'powscope', 'ticket'],
    ['powtoken', 'pownonce', 'nonce', 'salt', 'captchatoken', 'captcha', 'answer', 'answers', 'seed'],
    ['email', 'key', 'accountkey', 'ip', 'ips', 'remoteaddress', 'xforwardedfor', 'forwarded'],
    ['body', 'query', 'querystring', 'params', 'url', 'originalurl', 'rawpacket'],
  ].flat(),
);
const DEEPEST = 4;
const MOST_NAMES = 1000;

/** What stands where something was hidden. */
export const HIDDEN_VALUE = '[hidden]';

const verdicts = new Map<string, boolean>();

/**
 * A copy of what is to be logged in which every property with a telling name is hidden, at any of the first
 * levels. Errors and other instances of classes are left to their serialisers. The logger's own redaction
 * needs a path for every place, and takes many times as long as writing the line.
 */
export function hideSecrets(values: Record<string, unknown>, depth = 0): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(values)) {
    const value = values[name];
    const shown = isHidden(name) && value !== undefined ? HIDDEN_VALUE : hideWithin(value, depth + 1);
    if (shown === value) continue;
    copy ??= { ...values };
    copy[name] = shown;
  }
  return copy ?? values;
}

function hideWithin(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return HIDDEN_VALUE;
  if (Array.isArray(value)) return value.map((item) => hideWithin(item, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return hideSecrets(value as Record<string, unknown>, depth);
}

function isHidden(name: string): boolean {
  let verdict = verdicts.get(name);
  if (verdict === undefined) {
    verdict = HIDDEN.has(name.toLowerCase().replaceAll(/[-_]/g, ''));
    if (verdicts.size < MOST_NAMES) verdicts.set(name, verdict);
  }
  return verdict;
}
