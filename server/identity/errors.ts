import { ContractError } from '../contract/errors.ts';

/**
 * Returns the resource of a DELETE, or undefined if it does not exist for the caller: then there is nothing to delete,
 * and the response is the same. Rethrows other errors.
 */
export async function unlessNotFound<Resource>(resource: Promise<Resource>): Promise<Resource | undefined> {
  try {
    return await resource;
  } catch (error) {
    if (error instanceof ContractError && error.status === 404) {
      return undefined;
    }
    throw error;
  }
}
