// The attributes that every element requires for this installation's challenges: none with default settings.

const nameAttributes = {
  pow_token: 'pow-token-name',
  pow_nonce: 'pow-nonce-name',
  captcha_token: 'captcha-token-name',
  captcha: 'captcha-name',
};

/** @returns {Promise<Record<string, string>>} */
export async function serviceAttributes() {
  const home = new URL('./', location.href);
  const attributes = home.pathname === '/' ? {} : { 'base-url': home.href };
  try {
    const { challenge_prefix: prefix, challenge_fields: fields } = await (await fetch('page.json')).json();
    if (prefix !== 'api/captcha') attributes.prefix = prefix;
    for (const [usual, name] of Object.entries(fields)) {
      if (name !== usual) attributes[nameAttributes[usual]] = name;
    }
  } catch {
    // The element itself reports that the service does not respond.
  }
  return attributes;
}
