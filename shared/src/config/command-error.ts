// What stops a command.

/** A mistake the operator can mend; its message is one line for him. */
export class CommandError extends Error {}

/** The command line was not understood; an empty message when the usage says it all. */
export class UsageError extends Error {}
