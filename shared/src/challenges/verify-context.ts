// What a submission is checked for, and for whom.

/**
 * How an image is treated: `required` is part of the form's shape, `demanded` is judged after the work, `escalating` is
 * demanded once the account has failed `escalation.after` times, `offered` is judged only when it is there.
 */
export type ImageDemand = 'required' | 'demanded' | 'escalating' | 'offered' | 'ignored';

/** Which challenges a submission is checked for. */
export interface RequiredChallenges {
  readonly pow: boolean;
  readonly image: ImageDemand;
}

/** The account that is tried, and its failures before this try: a function is asked once the work has proved right. */
export interface AttemptedAccount {
  readonly key: string;
  readonly failures: number | (() => Promise<number>);
}

/** The failures of a tried account; 0 without one. */
export async function failuresOf(account: AttemptedAccount | undefined): Promise<number> {
  if (account === undefined) return 0;
  return typeof account.failures === 'number' ? account.failures : account.failures();
}

/** What is checked, and for whom. */
export interface VerifyContext extends RequiredChallenges {
  /** The client's address as the framework reports it. */
  readonly ip: string | undefined;
  readonly account?: AttemptedAccount | undefined;
  /** Names of the presets that are accepted; every one when left out. */
  readonly presets?: readonly string[] | undefined;
  /** The least bits of work that are accepted, whatever the account. */
  readonly minDifficulty?: number | undefined;
  /** Names the request that spends the challenges: equal claims get equal verdicts. 128 random bits by default. */
  readonly claim?: string;
}
