import type { Plan } from '../../model/plan/plan.ts';
import type { Exchange } from '../wire/exchange.ts';

/** Failure of the server, with the shortest plan that reproduces it. */
export interface Finding {
  /** `Operation.id`. */
  operation: string;
  /** Name of the check. */
  check: string;
  message: string;
  /** Behavior that the contract specifies, and where. */
  expected: string;
  /** Identical for findings of one cause. */
  cause: string;
  /** Shortest plan that reproduces the failure. */
  plan: Plan;
  /** Exchanges of the last run of the plan, one per step, or fewer if it ended early. */
  exchanges: Exchange[];
  seed: number;
  /** Other operations with the same cause. */
  otherOperations: string[];
  /** Whether a fresh run of the plan reproduces the failure. Otherwise it depends on earlier requests. */
  repeatable: boolean;
}

/** A failure that is known, and does not fail a run. */
export interface KnownFailure {
  check: string;
  operation: string;
  /** Identical for failures of one cause, also in other runs. */
  cause: string;
  message: string;
}

/** Result of a run. */
export interface Outcome {
  /** Failures, without those of the baseline. */
  findings: Finding[];
  /** Failures that the baseline contains. */
  known?: Finding[];
  /** Failures of the baseline that did not occur, of tested operations. */
  vanished?: KnownFailure[];
  coverage: Coverage;
  seed: number;
  /**
   * Reason for the end: the plan is complete, the limit of time or requests was reached, the run was interrupted, or the
   * server stopped and did not return.
   */
  end: 'complete' | 'time' | 'requests' | 'interrupted' | 'unavailable';
  requests: number;
  milliseconds: number;
  /** Names of the excluded checks. */
  excludedChecks: string[];
  /** What was never tested of tested operations, with the reason. */
  limitations: string[];
  /** Created resources that could not be deleted, as method and path. */
  undeleted: string[];
}

/** Coverage by operation. */
export type Coverage = OperationCoverage[];

/** Coverage of one operation. */
export interface OperationCoverage {
  operation: string;
  method: string;
  path: string;
  /** `not-tested` if no request was sent. */
  state: 'tested' | 'not-implemented' | 'not-tested';
  /** Why it was not tested, or why no request succeeded. */
  reason?: string;
  /** Number of responses by status. */
  statuses: Record<string, number>;
  /** Declared success statuses that were never returned. */
  missing: string[];
  /** Number of valid and invalid values sent for each parameter and the body. */
  parameters: Record<string, { valid: number; invalid: number }>;
  /** Pairs of value classes of two parameters: those in a request with a response, and all. */
  pairs: { tried: number; total: number };
  /** Number of rejections of valid input for a reason that the contract does not specify. They are not failures. */
  inconclusive: number;
}
