import type { ApiError } from './errors.ts';
import type { Result } from './types.ts';

/**
 * Returns the data of a call, or throws its error.
 * @param call a call of a client, such as `client.GET(…)`
 * @returns the body of the success response; undefined if it has none (204)
 * @throws ApiError for every error
 *
 * @example
 * const space = await ok(client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } }))
 */
export async function ok<D>(call: Promise<Result<D, ApiError>>): Promise<D> {
  const result = await call;
  if (result.error !== undefined) {
    throw result.error;
  }
  return result.data;
}
