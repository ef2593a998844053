// What was sent and what was answered: cookies, spent submissions, counted attempts. Knows nothing of the services' code.

/** A session as its client knows it. */
export interface Session {
  readonly id: number;
  cookie: string;
  accessToken: string;
  /** Whether it was refreshed since its login. */
  hasRefreshed: boolean;
  /** When its logout was answered. */
  endedMs?: number;
}

/** A submission whose challenges an answer showed to be accepted. */
export interface Submission {
  readonly to: 'login' | 'application';
  readonly fields: Readonly<Record<string, string>>;
}

/** An account at which somebody guesses. */
export interface GuessedAccount {
  readonly at: 'login' | 'application';
  readonly key: string;
  /** Attempts that were answered as counted. */
  counted: number;
  /** Attempts whose answer does not say whether they were counted. */
  unknown: number;
  /** The ticket of the last refusal, and whether that demanded an image. */
  ticket?: string;
  needsImage?: boolean;
}

/** What must not happen. */
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

/** Things of which any may be taken out while a request about it is under way. */
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
  /** Sessions whose logout was answered. */
  readonly ended: Pool<Session>;
  /** Sessions whose logout was not answered, or with a failure. */
  readonly unsure: Pool<Session>;
  readonly spent: Pool<Submission>;
  readonly accounts: Pool<GuessedAccount>;
  /** Requests whose effect nobody knows: they are left out of the verdict. */
  readonly unknown: Record<string, number>;
  readonly mistakes: Readonly<Record<Mistake, string[]>>;
  noteUnknown(what: string): void;
  /** @param what for people: when and how it was seen */
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
