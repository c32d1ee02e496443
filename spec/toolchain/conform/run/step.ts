import type { Operation } from '../../model/contract/contract.ts';
import type { Caller, Step } from '../../model/plan/plan.ts';
import type { Parts } from '../requests/requests.ts';

/** Creates a step of drawn parts. */
export function stepOf(
  operation: Operation,
  { inventedFields: _i, choice: _c, ...parts }: Parts,
  caller: Caller = 'own',
): Step {
  return { operation: operation.id, caller, ...parts };
}
