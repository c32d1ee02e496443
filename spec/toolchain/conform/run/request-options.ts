import type fc from 'fast-check';
import type { Caller, Fault } from '../../model/plan/plan.ts';
import type { OperationRequests, Parts, RequestInputs } from '../requests/requests.ts';
import type { Entity } from './entities/entity.ts';

/** Deviations of a request from the minimal valid one. */
export interface RequestOptions {
  /** Selected entities by noun. */
  env?: ReadonlyMap<string, Entity>;
  /** Parts to draw instead of the minimal ones. */
  parts?: (requests: OperationRequests, inputs: RequestInputs) => fc.Arbitrary<Parts>;
  caller?: Caller;
  fault?: Fault;
  /** Whether to create entities for optional identifier fields, too. */
  includeOptional?: boolean;
  /** Whether fields refer to other entities than those in the path: the siblings of a moved one, another owner. */
  isDistinct?: boolean;
  /** Whether to use resources that existed before the run, if there are any. Only for reads. */
  isOfExisting?: boolean;
  /** Whether further requests need what it creates. */
  isNeeded?: boolean;
  /** Operations that are being prepared, which cannot create entities for themselves. */
  pendingOperations?: readonly string[];
}

/** Options of requests with an example of the contract, or any valid values without one. */
export const EXAMPLE: RequestOptions = {
  parts: (requests, inputs) => requests.example(inputs) ?? requests.valid(inputs),
  includeOptional: true,
  isDistinct: true,
};
