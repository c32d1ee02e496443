// Computes the types of calls from the contract's paths. No type names an operation.
import type { components, paths } from '../generated/schema.d.ts';
import type { ErrorBody, RequestLine } from './errors.ts';
import type { RetryOptions } from './retry.ts';

/** Models of the contract by name, such as `Schemas['Space']`. */
export type Schemas = components['schemas'];

/** Methods of paths. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Paths of the contract that have a method. */
export type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];

type Operation<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer Op> ? Op : never;

type RequiredKeys<T> = { [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? never : K }[keyof T];

/** Allows `undefined` for optional properties, so that an unset filter can be passed. */
type AllowUndefined<T> = T extends object
  ? { [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K] }
  : T;

type Parameters<Op> = Op extends { parameters: infer All }
  ? Pick<All, keyof All & ('path' | 'query' | 'header')>
  : never;

type Params<Op> = {
  [Part in keyof Parameters<Op>]: Part extends 'query'
    ? AllowUndefined<Parameters<Op>[Part]>
    : Parameters<Op>[Part];
};

type ParamsField<Op> =
  RequiredKeys<Params<Op>> extends never ? { params?: Params<Op> } : { params: Params<Op> };

type BodyField<Op> = Op extends { requestBody?: never }
  ? { body?: never }
  : Op extends { requestBody: { content: infer Content } }
    ? { body: Content[keyof Content] }
    : Op extends { requestBody?: { content: infer Content } }
      ? { body?: Content[keyof Content] }
      : never;

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call: its attempts, the waits between them, and reading of the response. */
  signal?: AbortSignal | undefined;
  /** Headers of this call. They override those of the client. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Timeout of each attempt in milliseconds. Overrides that of the client. */
  timeout?: number | undefined;
  /** Maximum number of retries, or detailed options. Overrides those of the client. */
  retries?: number | RetryOptions | undefined;
}

/** Arguments of a call: parameters and body of the contract, and options. */
export type Init<P extends keyof paths, M extends Method> = ParamsField<Operation<P, M>> &
  BodyField<Operation<P, M>> &
  CallOptions;

/** `Init` as an argument, optional if none of its properties is required. */
export type InitArgument<P extends keyof paths, M extends Method> =
  RequiredKeys<Init<P, M>> extends never ? [init?: Init<P, M>] : [init: Init<P, M>];

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206;

type BodyOf<Response> = Response extends { content: infer Content } ? Content[keyof Content] : undefined;

type Bodies<Responses> = BodyOf<Responses[keyof Responses & SuccessStatus]>;

/** Body of an operation's success response; undefined if it has none (204). */
export type Data<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer Responses } ? Bodies<Responses> : never;

/**
 * Result of a call. `error` is set for every error response, even for one without a body, so checking it is enough.
 */
export type Result<D> =
  | { data: D; error?: undefined; response: Response; request: RequestLine }
  | { data?: undefined; error: ErrorBody; response: Response; request: RequestLine };

/**
 * Calls an operation of the contract.
 * @param path path template of the contract, such as `/v1/spaces/{spaceId}`
 * @param init parameters, body and options
 * @throws ApiError for all errors except error responses: see `ApiErrorKind`
 */
export type Call<M extends Method> = <P extends PathWith<M>>(
  path: P,
  ...init: InitArgument<P, M>
) => Promise<Result<Data<P, M>>>;

/** Typed client: one function for each method. */
export interface Client {
  GET: Call<'get'>;
  POST: Call<'post'>;
  PUT: Call<'put'>;
  PATCH: Call<'patch'>;
  DELETE: Call<'delete'>;
}

/** Paths whose GET returns a paginated list. */
export type ListPath = {
  [P in PathWith<'get'>]: Data<P, 'get'> extends { items: readonly unknown[] }
    ? 'next' extends keyof Data<P, 'get'>
      ? P
      : never
    : never;
}[PathWith<'get'>];

/** Page of a list. */
export type ListPage<P extends ListPath> = Data<P, 'get'>;

/** Item of a list. */
export type ListItem<P extends ListPath> =
  ListPage<P> extends { items: readonly (infer Item)[] } ? Item : never;
