import type { Database } from '../database.ts';

/** Maximum number of problems of a check that are described; further ones are only counted. */
const MAX_DESCRIBED = 20;

/** Problems that a check has found, and those that it repaired. */
export class Findings {
  examined = 0;
  problems = 0;
  repaired = 0;
  readonly descriptions: string[] = [];
  /** Further observations, which are not problems. */
  readonly notes: string[] = [];

  /** Adds a problem. */
  add(description: string, count = 1): void {
    this.problems += count;
    if (this.descriptions.length < MAX_DESCRIBED) {
      this.descriptions.push(description);
    }
  }
}

/** What a check works with. */
export interface CheckContext {
  database: Database;
  now: Date;
  /** Whether to write what can be derived. */
  repair: boolean;
}

/** A check of the data, with the name that the operator reads. */
export interface Check<Context extends CheckContext = CheckContext> {
  name: string;
  run(context: Context, findings: Findings): Promise<void>;
}
