/** Regular expressions of the source that are not certain to take linear time, as `recheck` judges them. */
export interface Judged {
  /** Proven to take linear time. */
  safe: string[];
  /** No slow text was found. */
  fuzzed: string[];
  /** Not judged within the time limit. */
  unproven: string[];
  /** Take quadratic time, with what bounds the texts that they read. */
  bounded: Record<string, string>;
}
