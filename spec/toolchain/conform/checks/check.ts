import type { Contract, Operation } from '../contract/contract.ts';
import type { Step } from '../plan/plan.ts';
import type { SchemaSet } from '../schema/schema.ts';
import type { Exchange } from '../wire/exchange.ts';

/** One exchange of a plan, as checks see it. */
export interface Moment {
  contract: Contract;
  schemas: SchemaSet;
  operation: Operation;
  step: Step;
  exchange: Exchange;
}

/** What a check found. */
export interface Fault {
  /** What happened, in a sentence. */
  message: string;
  /** What the contract says about it, and where. */
  says: string;
  /** The same for all faults of one cause: `extra field body/createdBy of Space`. Without values of the run. */
  cause: string;
}

/** A rule about single exchanges, with a name by which a run can leave it out. */
export interface Check {
  name: string;
  /** What it asks of a server, in a sentence. */
  asks: string;
  judge(moment: Moment): Fault | undefined;
}
