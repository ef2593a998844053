// The one spelling of an account under which its failures are counted and it is looked up.

/**
 * The text trimmed, in compatibility form (NFKC) and lower case. Does not judge whether it is an address. Without it
 * every spelling of one e-mail (`Ann@…`, ` ann@…`, full-width letters) has a count of its own, and so guesses of its own.
 *
 * @throws TypeError when `account` is no text
 */
export function accountKey(account: string): string {
  // Lower case can undo the form (U+0130 becomes two characters), and the form can bring white space to the ends.
  return account.normalize('NFKC').toLowerCase().normalize('NFKC').trim();
}
