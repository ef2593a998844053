// Requests and responses: cookies, spent submissions, counted attempts. Independent of the services' code.

/** A session from its client's view. */
export interface Session {
  readonly id: number;
  cookie: string;
  accessToken: string;
  /** Whether it was refreshed since its login. */
  hasRefreshed: boolean;
  /** When its logout was confirmed. */
  endedMs?: number;
}

/** A submission whose challenges a response showed to be accepted. */
export interface Submission {
  readonly to: 'login' | 'application';
  readonly fields: Readonly<Record<string, string>>;
}

/** An account under a guessing attack. */
export interface GuessedAccount {
  readonly at: 'login' | 'application';
  readonly key: string;
  /** Attempts confirmed as counted. */
  counted: number;
  /** Attempts that may have been counted. */
  unknown: number;
  /** The ticket of the last rejection, and whether that required an image. */
  ticket?: string;
  needsImage?: boolean;
}

/** Forbidden outcomes. */
export const MISTAKES = [
  'issued work lost',
  'login lost',
  'attempt lost',
  'attempt counted twice',
  'spent work accepted again',
  'ended session accepted again',
  'logged out by accident',
] as const;
export type Mistake = (typeof MISTAKES)[number];

/** Things that can be taken out while a request about them is in progress. */
export interface Pool<T> {
  readonly items: readonly T[];
  add(item: T): void;
  /** Removes one by its position. */
  takeAt(position: number): T | undefined;
}

/** The ledger of one run. */
export interface Ledger {
  /** Sessions that must refresh. */
  readonly live: Pool<Session>;
  /** Sessions with a confirmed logout. */
  readonly ended: Pool<Session>;
  /** Sessions whose logout got no response, or a failure. */
  readonly unsure: Pool<Session>;
  readonly spent: Pool<Submission>;
  readonly accounts: Pool<GuessedAccount>;
  /** Requests with an unknown effect, left out of the verdict. */
  readonly unknown: Record<string, number>;
  readonly mistakes: Readonly<Record<Mistake, string[]>>;
  noteUnknown(what: string): void;
  /** @param what for people: when and how it was observed */
  noteMistake(mistake: Mistake, what: string): void;
  nextId(): number;
}

export function openLedger(): Ledger {
  let ids = 0;
  const unknown: Record<string, number> = {};
  const mistakes = Object.fromEntries(MISTAKES.map((mistake) => [mistake, []])) as unknown as Record<
    Mistake,
    string[]
  >;
  return {
    live: openPool(),
    ended: openPool(),
    unsure: openPool(),
    spent: openPool(),
    accounts: openPool(),
    unknown,
    mistakes,
    noteUnknown(what) {
      unknown[what] = (unknown[what] ?? 0) + 1;
    },
    noteMistake: (mistake, what) => void mistakes[mistake].push(what),
    nextId: () => ++ids,
  };
}

function openPool<T>(): Pool<T> {
  const items: T[] = [];
  return {
    items,
    add: (item) => void items.push(item),
    takeAt(position) {
      const last = items.pop();
      if (last === undefined || position === items.length) return last;
      const [taken] = items.splice(position, 1, last);
      return taken;
    },
  };
}
