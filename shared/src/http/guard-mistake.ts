// What is wrong with the guards that a route names: one that is not understood must not leave the route open.

const PROPERTIES: Readonly<Record<string, readonly string[]>> = { captcha: ['name'], pow: ['name', 'key'] };

/** What is wrong with `config.guards` of a route, as words that follow its place; null when nothing is. */
export function guardMistake(guards: unknown): string | null {
  if (!Array.isArray(guards)) return 'must be a list of captcha and pow()';
  const wrong = guards.findIndex((guard) => !isGuard(guard));
  if (wrong >= 0) return `must be a list of captcha and pow(): element ${wrong + 1} is neither`;
  // Only one of them would be judged by, and it might be the one without a key.
  return guards.filter(({ name }) => name === 'pow').length > 1 ? 'must name pow() once' : null;
}

function isGuard(guard: unknown): boolean {
  if (typeof guard !== 'object' || guard === null) return false;
  const { name, key } = guard as { name?: unknown; key?: unknown };
  if (typeof name !== 'string' || !Object.hasOwn(PROPERTIES, name)) return false;
  const known = PROPERTIES[name] ?? [];
  if (!Object.keys(guard).every((property) => known.includes(property))) return false;
  return key === undefined || typeof key === 'function';
}
