import type { Contract, Operation } from '../../model/contract/contract.ts';
import type { Step } from '../../model/plan/plan.ts';
import type { SchemaSet } from '../../model/schema/schema.ts';
import type { Exchange } from '../wire/exchange.ts';

/** One exchange of a plan with its context. */
export interface CheckedExchange {
  contract: Contract;
  schemas: SchemaSet;
  operation: Operation;
  step: Step;
  exchange: Exchange;
}

/** Violation that a check reports. */
export interface Violation {
  /** Description of the behavior in one sentence. */
  message: string;
  /** Behavior that the contract specifies, and where. */
  expected: string;
  /** Identical for all violations of one cause: `undeclared field Space/createdBy`. Contains no values of the run. */
  cause: string;
}

/** Check of single exchanges. */
export interface Check {
  name: string;
  /** Requirement in one sentence. */
  rule: string;
  verify(checked: CheckedExchange): Violation | undefined;
}
