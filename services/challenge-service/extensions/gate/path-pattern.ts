// Compares a path with a pattern in which `*` matches any characters.

/**
 * Returns whether the whole path matches the pattern. The time is at most the product of both lengths, unlike that of a
 * regular expression with several wildcards.
 */
export function isLike(path: string, pattern: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let afterStar = 0;
  while (at < path.length) {
    if (pattern[inPattern] === '*') {
      star = inPattern;
      afterStar = at;
      inPattern += 1;
    } else if (pattern[inPattern] === path[at]) {
      at += 1;
      inPattern += 1;
    } else if (star !== -1) {
      // The last wildcard takes one more character; earlier ones need not change.
      afterStar += 1;
      at = afterStar;
      inPattern = star + 1;
    } else return false;
  }
  while (pattern[inPattern] === '*') inPattern += 1;
  return inPattern === pattern.length;
}
