// From the contract's paths to the types of calls. Everything here follows from `paths`; nothing names an operation.
import type { components, paths } from '../generated/schema.d.ts';
import type { ErrorBody, RequestLine } from './errors.ts';
import type { RetryOptions } from './retry.ts';

/** The models of the contract by name, such as `Schemas['Space']`. */
export type Schemas = components['schemas'];

/** The methods a path can have. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths of the contract that have a method. */
export type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];

type Operation<P extends keyof paths, M extends Method> =
  paths[P] extends Record<M, infer Found> ? Found : never;

type RequiredKeys<T> = { [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? never : K }[keyof T];

/** Lets what may be left out be `undefined` too, so that a filter that may be unset is passed as it is. */
type Loose<T> = T extends object
  ? { [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K] }
  : T;

type Parameters<Op> = Op extends { parameters: infer All }
  ? Pick<All, keyof All & ('path' | 'query' | 'header')>
  : never;

type Params<Op> = {
  [Part in keyof Parameters<Op>]: Part extends 'query' ? Loose<Parameters<Op>[Part]> : Parameters<Op>[Part];
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

/** What any call may say about how it is made. */
export interface CallOptions {
  /** Ends the call: its attempts, the waits between them, and the reading of the answer. */
  signal?: AbortSignal | undefined;
  /** Headers of this call; they win over those of the client. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds for each attempt, instead of the client's. */
  timeout?: number | undefined;
  /** How often to try again, instead of the client's. */
  retries?: number | RetryOptions | undefined;
}

/** What a call passes: parameters and body as the contract has them, and how it is made. */
export type Init<P extends keyof paths, M extends Method> = ParamsField<Operation<P, M>> &
  BodyField<Operation<P, M>> &
  CallOptions;

/** `Init` as an argument: it may be left out where nothing in it is required. */
export type InitArgument<P extends keyof paths, M extends Method> =
  RequiredKeys<Init<P, M>> extends never ? [init?: Init<P, M>] : [init: Init<P, M>];

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206;

type Bodies<Responses> = {
  [S in keyof Responses & SuccessStatus]: Responses[S] extends { content: infer Content }
    ? Content[keyof Content]
    : undefined;
}[keyof Responses & SuccessStatus];

/** The body of an operation's success; undefined where it has none (204). */
export type Data<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer Responses } ? Bodies<Responses> : never;

/**
 * What a call resolves to. `error` is set exactly when the server answered with a failure, also where the failure had
 * no body, so testing it is enough.
 */
export type Result<D> =
  | { data: D; error?: undefined; response: Response; request: RequestLine }
  | { data?: undefined; error: ErrorBody; response: Response; request: RequestLine };

/**
 * Calls one method of the contract.
 * @param path a path of the contract that has this method, as written there, with its `{names}`
 * @param init parameters, body, and how to make the call
 * @throws ApiError when there is no answer to return: see `ApiErrorKind`
 */
export type Call<M extends Method> = <P extends PathWith<M>>(
  path: P,
  ...init: InitArgument<P, M>
) => Promise<Result<Data<P, M>>>;

/** The calls of the contract, one function for each method. */
export interface Client {
  GET: Call<'get'>;
  POST: Call<'post'>;
  PUT: Call<'put'>;
  PATCH: Call<'patch'>;
  DELETE: Call<'delete'>;
}

/** The paths whose GET answers a list page by page. */
export type ListPath = {
  [P in PathWith<'get'>]: Data<P, 'get'> extends { items: readonly unknown[] }
    ? 'next' extends keyof Data<P, 'get'>
      ? P
      : never
    : never;
}[PathWith<'get'>];

/** One page of a list, as the contract has it. */
export type ListPage<P extends ListPath> = Data<P, 'get'>;

/** One item of a list. */
export type ListItem<P extends ListPath> =
  ListPage<P> extends { items: readonly (infer Item)[] } ? Item : never;
