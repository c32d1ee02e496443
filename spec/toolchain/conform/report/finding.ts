import type { Plan } from '../plan/plan.ts';
import type { Exchange } from '../wire/exchange.ts';

/** A failure of the server, shrunk. */
export interface Finding {
  /** By `Operation.id`. */
  operation: string;
  /** The name of the check. */
  check: string;
  message: string;
  /** What the contract says about it, and where. */
  says: string;
  /** What findings of one cause share. */
  cause: string;
  /** The shortest plan that shows it. */
  plan: Plan;
  /** What happened when it was run last; as many as its steps, or fewer when it ended early. */
  exchanges: Exchange[];
  seed: number;
  /** Other operations at which the same cause was met. */
  alsoAt: string[];
  /** False where a fresh run of the plan did not show it again: then it hangs on what went before. */
  repeatable: boolean;
}

/** What a run came to. */
export interface Outcome {
  findings: Finding[];
  coverage: Coverage;
  seed: number;
  /** How it ended: all that was planned was tried, time or requests were used up, or somebody ended it. */
  end: 'complete' | 'time' | 'requests' | 'interrupted';
  requests: number;
  milliseconds: number;
  /** Names of checks that were left out. */
  leftOut: string[];
  /** What could not be deleted again, as method and path. */
  leftBehind: string[];
}

/** What was tried, by operation. */
export type Coverage = OperationCoverage[];

/** What was tried of one operation. */
export interface OperationCoverage {
  operation: string;
  method: string;
  path: string;
  /** `never` when no request could be made, with the reason in `why`. */
  state: 'tested' | 'not-implemented' | 'never';
  why?: string;
  /** How often each status came. */
  statuses: Record<string, number>;
  /** Declared successes that never came. */
  missing: string[];
  /** For each parameter and body: how often a valid and an invalid one was sent. */
  parameters: Record<string, { valid: number; invalid: number }>;
  /** How often good input was refused where the contract does not tell why; such answers are not judged. */
  unjudged: number;
}
