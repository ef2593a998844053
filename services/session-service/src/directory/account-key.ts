// The one spelling of an e-mail address under which an account is looked up and its failures are counted.

/** The address trimmed, in compatibility form (NFKC) and lower case. Does not judge whether it is one. */
export function accountKey(email: string): string {
  // Lower case can undo the form (U+0130 becomes two characters), and the form can bring white space to the ends.
  return email.normalize('NFKC').toLowerCase().normalize('NFKC').trim();
}

/** The host under which the failures of these accounts are counted, and they are named; no other host may take it. */
export const LOGIN_HOST = 'login';
