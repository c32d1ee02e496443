/**
 * The memory of bodies outside of the contract. It is counted by address, because callers are not authenticated: one who
 * sends or reads slowly cannot occupy the memory of others.
 */
import type { Request, Response } from 'express';
import { BodyMemory } from '../../../contract/limits/body-memory.ts';
import { addressKey, callerAddress } from '../../../contract/request/address.ts';

const requests = new BodyMemory();
const responses = new BodyMemory();

/**
 * Counts the body of a request until its response is closed.
 *
 * @returns a function to call with the size of each chunk before the chunk is buffered
 *   @throws ContractError 503 when the memory limit is exceeded
 */
export const countRequest = (req: Request, res: Response): ((bytes: number) => void) =>
  requests.count(addressKey(callerAddress(req)), res);

/**
 * Counts the body of a response until it is sent.
 *
 * @throws ContractError 503 when the memory limit is exceeded
 */
export function countResponse(req: Request, res: Response, bytes: number): void {
  responses.count(addressKey(callerAddress(req)), res)(bytes);
}
