// Computes the types of calls from the `paths` of any contract, as `colophon generate` writes them to `schema.d.ts`.
import type { ApiError, ErrorStatus, RequestLine } from './errors.ts';
import type { BodyValue, InRange, JsonOf, ParseAs, Parsed, TextOf, ValueOf } from './media-values.ts';
import type { ParameterStyle, ParameterStyles } from './query.ts';
import type { RetryOptions } from './retry.ts';

export type { BinaryBody, Bytes, FetchBody, ParseAs } from './media-values.ts';

/** Methods of operations. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options';

/** Paths of a contract that have a method. */
export type PathWith<Paths, M extends Method> = {
  [P in keyof Paths]: Paths[P] extends Record<M, object> ? P : never;
}[keyof Paths];

type Operation<Paths, P extends keyof Paths, M extends Method> =
  Paths[P] extends Record<M, infer Op> ? Op : never;

/** Paths of a contract as texts; any text for a contract without types. */
export type PathOf<Paths> = [keyof Paths] extends [never] ? string : keyof Paths & string;

type RequiredKeys<T> = { [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? never : K }[keyof T];

/** Allows `undefined` for optional properties, so that an unset filter can be passed. */
type AllowUndefined<T> = T extends object
  ? { [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K] }
  : T;

type Parameters<Op> = Op extends { parameters: infer All } ? Pick<All, keyof All & ParameterLocation> : never;

/** Parameters by location. A call with parameters in an undeclared location does not compile. */
type Params<Op> = {
  [Part in keyof Parameters<Op>]: Part extends 'query'
    ? AllowUndefined<Parameters<Op>[Part]>
    : Parameters<Op>[Part];
} & { [Part in Exclude<ParameterLocation, keyof Parameters<Op>>]?: never };

type ParamsField<Op> =
  RequiredKeys<Params<Op>> extends never ? { params?: Params<Op> } : { params: Params<Op> };

/** Body, and its media type unless it is `application/json`. */
type TypedBody<Content> = {
  [Type in keyof Content]: Type extends 'application/json'
    ? { body: Content[Type]; contentType?: Type | undefined }
    : { body: BodyValue<Type, Content[Type]>; contentType: InRange<Type> };
}[keyof Content];

interface NoBody {
  body?: never;
  contentType?: never;
}

type BodyField<Op> = Op extends { requestBody: { content: infer Content } }
  ? TypedBody<Content>
  : Op extends { requestBody?: infer Body }
    ? [Body] extends [{ content: infer Content }]
      ? TypedBody<Content> | NoBody
      : NoBody
    : NoBody;

/** `parseAs`, which is required if no success response is JSON. */
type ParseField<Op, As extends ParseAs> =
  SuccessType<Op> extends infer Type
    ? [Type] extends [never]
      ? { parseAs?: As | undefined }
      : [JsonOf<Type>] extends [never]
        ? { parseAs: As & (keyof Parsed | 'auto') }
        : { parseAs?: As | undefined }
    : never;

/** Media types of the success responses of an operation; any if it declares only redirects or errors. */
type SuccessType<Op> = Op extends { responses: infer Responses }
  ? [SuccessKey<Responses>] extends [never]
    ? '*/*'
    : TypeOf<Responses[SuccessKey<Responses>]>
  : never;

type TypeOf<Response> = Response extends { content: infer Content } ? keyof Content : never;

/** Styles of the parameters of an operation, by location and name, and of the fields of its form. */
type StylesField<Op> = {
  /**
   * How parameters are written that the contract declares in another style than the default ones, by location and name.
   * Generated functions know it.
   */
  styles?:
    | ({
        readonly [Part in keyof Parameters<Op>]?: [NonNullable<Parameters<Op>[Part]>] extends [never]
          ? undefined
          : { readonly [Name in keyof NonNullable<Parameters<Op>[Part]>]?: ParameterStyle | undefined };
      } & { readonly body?: ParameterStyles | undefined })
    | undefined;
};

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
export type Init<Paths, P extends keyof Paths, M extends Method, As extends ParseAs = 'json'> = ParamsField<
  Operation<Paths, P, M>
> &
  BodyField<Operation<Paths, P, M>> &
  ParseField<Operation<Paths, P, M>, As> &
  StylesField<Operation<Paths, P, M>> &
  CallOptions;

/** `Init` as an argument, optional if none of its properties is required. */
export type InitArgument<Paths, P extends keyof Paths, M extends Method, As extends ParseAs = 'json'> =
  RequiredKeys<Init<Paths, P, M, As>> extends never
    ? [init?: Init<Paths, P, M, As>]
    : [init: Init<Paths, P, M, As>];

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | '2XX';
type RedirectStatus = 300 | 301 | 302 | 303 | 307 | 308 | '3XX';

/** Keys of the success responses of an operation: `default` if it declares no other success and no redirect. */
type SuccessKey<Responses> = [keyof Responses & (SuccessStatus | RedirectStatus)] extends [never]
  ? keyof Responses & 'default'
  : keyof Responses & SuccessStatus;

type BodyOf<Response> = Response extends { content: infer Content }
  ? {
      [Type in keyof Content]: Type extends JsonOf<Type> ? Content[Type] : ErrorText<Type, Content[Type]>;
    }[keyof Content]
  : undefined;

/** Body of an error of another media type than JSON: its text. */
type ErrorText<Type, Body> =
  ValueOf<Type, Body> extends string ? (Body extends string ? Body : string) : Body;

/**
 * Body of an operation's success response; undefined if it has none (204). The body at the target of a redirect is not
 * declared.
 */
export type Data<Paths, P extends keyof Paths, M extends Method, As extends ParseAs = 'json'> =
  Operation<Paths, P, M> extends { responses: infer Responses }
    ? [SuccessKey<Responses>] extends [never]
      ? As extends keyof Parsed
        ? Parsed[As]
        : unknown
      : DataOf<Responses[SuccessKey<Responses>], As>
    : never;

type DataOf<Response, As extends ParseAs> = Response extends { content: infer Content }
  ? As extends keyof Parsed
    ? Parsed[As]
    : As extends 'auto'
      ? { [Type in keyof Content]: ValueOf<Type, Content[Type]> }[keyof Content]
      : Content extends { 'application/json': infer Body }
        ? Body | TextOf<keyof Content>
        : [JsonOf<keyof Content>] extends [never]
          ? Content[keyof Content]
          : Content[JsonOf<keyof Content>] | TextOf<keyof Content>
  : undefined;

/** Body of the statuses that a contract does not declare one by one. */
type OtherBody<Responses, ErrorBody> = Responses extends { default: infer Response }
  ? BodyOf<Response>
  : ErrorBody;

type ErrorOf<Responses, ErrorBody> =
  | {
      [Status in keyof Responses & ErrorStatus]: ApiError<BodyOf<Responses[Status]>, Status>;
    }[keyof Responses & ErrorStatus]
  | ApiError<OtherBody<Responses, ErrorBody>, Exclude<ErrorStatus, keyof Responses>>;

/**
 * Error of an operation's error responses. Comparing `status` narrows `body` to the body that the contract declares for
 * it.
 */
export type Failure<Paths, P extends keyof Paths, M extends Method, ErrorBody = unknown> =
  Operation<Paths, P, M> extends { responses: infer Responses } ? ErrorOf<Responses, ErrorBody> : never;

/**
 * Result of a call. `error` is set for every error response, even for one without a body, so checking it is enough.
 */
export type Result<D, E = ApiError> =
  | { data: D; error?: undefined; response: Response; request: RequestLine }
  | { data?: undefined; error: E; response: Response; request: RequestLine };

/**
 * Calls an operation of the contract.
 * @param path path template of the contract, such as `/v1/spaces/{spaceId}`
 * @param init parameters, body and options
 * @throws ApiError for all errors except error responses: see `ApiErrorKind`
 */
export type Call<Paths, M extends Method, ErrorBody = unknown> = <
  P extends PathWith<Paths, M>,
  As extends ParseAs = 'json',
>(
  path: P,
  ...init: InitArgument<Paths, P, M, As>
) => Promise<Result<Data<Paths, P, M, As>, Failure<Paths, P, M, ErrorBody>>>;

/** Typed client of a contract: one function for each method. */
export interface Client<Paths, ErrorBody = unknown> {
  GET: Call<Paths, 'get', ErrorBody>;
  POST: Call<Paths, 'post', ErrorBody>;
  PUT: Call<Paths, 'put', ErrorBody>;
  PATCH: Call<Paths, 'patch', ErrorBody>;
  DELETE: Call<Paths, 'delete', ErrorBody>;
  HEAD: Call<Paths, 'head', ErrorBody>;
  OPTIONS: Call<Paths, 'options', ErrorBody>;
  /**
   * Calls an operation for its generated function, such as `getSpace(client, { spaceId })`, which has the types.
   * @param input parameters and `body` of the operation by name
   * @param format differences from a call with parameters by name and JSON bodies
   * @returns the body of the success response; undefined if it has none (204)
   * @throws ApiError for every error
   */
  call<D>(
    method: string,
    path: string,
    input: object,
    options?: CallOptions & { parseAs?: ParseAs | undefined },
    format?: CallFormat,
  ): Promise<D>;
}

/** Differences of an operation from one with parameters by name and JSON bodies. */
export interface CallFormat {
  /** Locations with parameters in a property of the input instead. */
  nested?: readonly ParameterLocation[] | undefined;
  /** Media type of the body. Default: `application/json`. */
  contentType?: string | undefined;
  /** How the body of the success response is read. Default: as JSON. */
  parseAs?: ParseAs | undefined;
  /** Whether the contract declares the header `Idempotency-Key`. */
  idempotent?: boolean | undefined;
  /** How parameters are written that are not in the default style of their location. */
  styles?: Styles | undefined;
  /** Shape of the pages of a list, which `paginate` follows: see `list-function.ts`. */
  pages?: object | undefined;
  /** Whether the call returns its `Result` instead of its data. */
  asResult?: boolean | undefined;
}

/** Styles of parameters by location, and of the fields of a form. */
export type Styles = { readonly [Part in ParameterLocation | 'body']?: ParameterStyles | undefined };

/** Locations of parameters. Browsers ignore cookies that a call passes, and send their own. */
export type ParameterLocation = 'path' | 'query' | 'header' | 'cookie';

/** Paths with a GET that returns a page of a list: `items`, and `next.page` unless it is the last page. */
export type ListPath<Paths> = {
  [P in PathWith<Paths, 'get'>]: Data<Paths, P, 'get'> extends ListBody
    ? 'next' extends keyof Data<Paths, P, 'get'>
      ? P
      : never
    : never;
}[PathWith<Paths, 'get'>];

/**
 * Page of a list of this toolkit: the cursor of the next page is `next.page`, and its query parameter `page`. The last
 * page has no `next`, or null.
 */
export interface ListBody {
  items: readonly unknown[];
  next?: { page: string } | null | undefined;
}

/** Item of a list. */
export type ListItem<Paths, P extends ListPath<Paths>> =
  Data<Paths, P, 'get'> extends { items: readonly (infer Item)[] } ? Item : never;
