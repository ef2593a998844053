/** Bodies that no form sends: media type and content. */
export const oddBodies: readonly (readonly [type: string, body: string])[] = [
  ...['', '{}', 'null', '[]', '5', '{', '{"pow_token":["a"]}', '{"__proto__":{"pow_token":"x"}}'].map(
    (body) => ['application/json', body] as const,
  ),
  ['application/x-www-form-urlencoded', 'pow_token=a&pow_token=b&text[a]=b&cf-turnstile-response=a'],
  [
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="text"\r\n\r\na\r\n--x--\r\n',
  ],
  ['text/plain', 'x'],
];
