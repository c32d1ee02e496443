// Binds the generic client to the contract of the platform.
import type { components, paths } from '../../generated/schema.d.ts';
import { type ClientOptions, createClient as createGenericClient } from '../client.ts';
import { type ApiErrorProperties, ApiError as GenericApiError } from '../errors.ts';
import type * as generic from '../types.ts';

/** Models of the contract by name, such as `Schemas['Space']`. */
export type Schemas = components['schemas'];

/** Body of every error response. */
export type ErrorBody = Schemas['Error'];

/** Machine-readable cause of an error response, as the contract lists it. */
export type ErrorReason = Schemas['ErrorReason'];

/** Error of a call: see the generic client. Its `reason` is one that the contract lists. */
export type ApiError = GenericApiError<ErrorBody>;
// The cast gives `instanceof` the type of the contract's errors; the class is the same.
export const ApiError = GenericApiError as new (properties: ApiErrorProperties<ErrorBody>) => ApiError;

/** Typed client: one function for each method. */
export interface Client extends generic.Client<paths, ErrorBody> {}

/**
 * Creates a client of the platform.
 * @throws TypeError or RangeError for an invalid option
 *
 * @example
 * const client = createClient({ baseUrl: 'https://docs.example.com', token })
 * const { data, error } = await client.GET('/v1/orgs')
 */
export function createClient(options: ClientOptions<keyof paths>): Client {
  return createGenericClient<paths, ErrorBody>(options);
}

/** Paths of the contract that have a method. */
export type PathWith<M extends generic.Method> = generic.PathWith<paths, M>;
/** Arguments of a call: parameters and body of the contract, and options. */
export type Init<P extends keyof paths, M extends generic.Method> = generic.Init<paths, P, M>;
/** Body of an operation's success response; undefined if it has none (204). */
export type Data<P extends keyof paths, M extends generic.Method> = generic.Data<paths, P, M>;
/** Paths with a GET that returns a paginated list. */
export type ListPath = generic.ListPath<paths>;
/** Page of a list. */
export type ListPage<P extends ListPath> = generic.Data<paths, P, 'get'>;
/** Item of a list. */
export type ListItem<P extends ListPath> = generic.ListItem<paths, P>;
