import type { HasOneMediaType, IsUnion, MediaKindOf, MediaTypeOf } from '../media-types.ts';
import type { Reply } from './reply.ts';

/** An event of a `text/event-stream` response (HTML, section 9.2). */
export interface ServerSentEvent {
  /** Sent as it is if it is a string, otherwise as JSON. */
  data: unknown;
  event?: string;
  id?: string;
  /** Time before the caller reconnects, in milliseconds. */
  retry?: number;
}

type ResponsesOf<Operation> = Operation extends { responses: infer Responses } ? Responses : never;

/** Statuses that a handler returns: 2xx and 3xx, or `default` if the contract declares no other success. */
type SuccessKey<Responses> = {
  [Status in keyof Responses]: `${Status & (string | number)}` extends `2${string}` | `3${string}`
    ? Status
    : never;
}[keyof Responses];
type ReturnedKey<Responses> = [SuccessKey<Responses>] extends [never]
  ? Extract<keyof Responses, 'default'>
  : SuccessKey<Responses>;

type ContentOf<Response> = Response extends { content: infer Content } ? Content : never;

/** The values that a handler returns for a body: complete, or as a stream (of Node or of the web). */
type BodyValue<Kind, Schema> = Kind extends 'json'
  ? Schema
  : Kind extends 'events'
    ? AsyncIterable<ServerSentEvent>
    : Kind extends 'lines'
      ? AsyncIterable<Schema extends string ? unknown : Schema>
      : Kind extends 'text'
        ? string | AsyncIterable<string | Uint8Array>
        : Uint8Array | AsyncIterable<Uint8Array>;

/** The declared headers, without the index signature that the generator adds. */
type HeadersOf<Response> = Response extends { headers: infer Headers }
  ? { [Name in keyof Headers as string extends Name ? never : Name]: Headers[Name] }
  : Record<never, never>;

type IsRedirect<Status> = Status extends 301 | 302 | 303 | 307 | 308 ? true : false;

type AllHeaders<Status, Response> =
  IsRedirect<Status> extends true
    ? Lowercase<keyof HeadersOf<Response> & string> extends infer Names
      ? 'location' extends Names
        ? HeadersOf<Response>
        : HeadersOf<Response> & { Location: string }
      : never
    : HeadersOf<Response>;

type HeadersMember<Headers> = [keyof Headers] extends [never]
  ? unknown
  : Record<never, never> extends Headers
    ? { headers?: Headers }
    : { headers: Headers };

type BodyMember<Content> = [Content] extends [never]
  ? { body?: undefined }
  : HasOneMediaType<Content> extends true
    ? { body: BodyValue<MediaKindOf<keyof Content>, Content[keyof Content]> }
    : {
        [Type in keyof Content]: {
          contentType: MediaTypeOf<Type>;
          body: BodyValue<MediaKindOf<Type>, Content[Type]>;
        };
      }[keyof Content];

/** Body, media type and headers of a response, without its status. */
type PartsOf<Status, Response> = BodyMember<ContentOf<Response>> &
  HeadersMember<AllHeaders<Status, Response>>;

/** The statuses of a range are not listed: the router checks them. */
type StatusOf<Key> = Key extends number ? Key : number;

type Flat<Type> = Type extends unknown ? { [Key in keyof Type]: Type[Key] } : never;

/** The status of a response, which is optional if the contract declares only this one. */
type StatusMember<Keys, Key> =
  IsUnion<Keys> extends false
    ? Key extends number
      ? { status?: Key }
      : { status: number }
    : { status: StatusOf<Key> };

/** The success of an operation that declares only errors: any status and body, in JSON unless a media type is stated. */
export interface UndeclaredReply {
  status: number;
  headers?: Readonly<Record<string, string>>;
  contentType?: string;
  body?: unknown;
}

/** A response with its status, for an operation that declares several, or one with several media types. */
export type ReplyOf<Operation> = {
  [Key in ReturnedKey<ResponsesOf<Operation>>]: Flat<
    StatusMember<ReturnedKey<ResponsesOf<Operation>>, Key> & PartsOf<Key, ResponsesOf<Operation>[Key]>
  >;
}[ReturnedKey<ResponsesOf<Operation>>];

/** Whether the body alone determines the response: a single success (2xx), with at most one media type. */
type IsPlain<Responses, Key extends keyof Responses> =
  IsUnion<Key> extends false
    ? `${Key & (string | number)}` extends `2${number}`
      ? [ContentOf<Responses[Key]>] extends [never]
        ? true
        : HasOneMediaType<ContentOf<Responses[Key]>>
      : false
    : false;

/** A response without a body is `void`, so that a handler may also end without a `return` or return such a call. */
type PlainBody<Response> = [ContentOf<Response>] extends [never]
  ? // biome-ignore lint/suspicious/noConfusingVoidType: the type of a handler's result
    void
  : BodyMember<ContentOf<Response>> extends { body?: infer Body }
    ? Body
    : never;

type PlainResult<Status, Response> = [keyof HeadersOf<Response>] extends [never]
  ? PlainBody<Response>
  : PlainBody<Response> | Reply<Flat<PartsOf<200, Response>>> | BodilessReply<Status, Response>;

/** The status and headers of a response without a body, which no body can be confused with. */
type BodilessReply<Status, Response> = [ContentOf<Response>] extends [never]
  ? Flat<{ status: StatusOf<Status> } & PartsOf<Status, Response>>
  : never;

type ResultOf<Responses> =
  IsPlain<Responses, ReturnedKey<Responses>> extends true
    ? PlainResult<ReturnedKey<Responses>, Responses[ReturnedKey<Responses>]>
    : never;

/**
 * The result of a handler: the body of the operation's success response (undefined if it declares none), or `reply()`
 * with the body and the declared headers; without a body, also `{ status, headers }`. If the contract declares several
 * success responses or media types, a redirect, or only a `default` response, the result is
 * `{ status, contentType, body, headers }`: the status unless it is the only one, and the media type if there are several.
 * If it declares only errors, the result is any such object, or nothing.
 */
export type HandlerResult<Operation> = [ReturnedKey<ResponsesOf<Operation>>] extends [never]
  ? // biome-ignore lint/suspicious/noConfusingVoidType: the type of a handler's result
    UndeclaredReply | void
  : IsPlain<ResponsesOf<Operation>, ReturnedKey<ResponsesOf<Operation>>> extends true
    ? ResultOf<ResponsesOf<Operation>>
    : ReplyOf<Operation>;

type DeclaredTypes<Responses, Key extends keyof Responses> = Key extends unknown
  ? [ContentOf<Responses[Key]>] extends [never]
    ? never
    : keyof ContentOf<Responses[Key]>
  : never;

type ReturnedTypes<Responses> = DeclaredTypes<Responses, ReturnedKey<Responses>>;

/** The media types of the success responses of an operation, if there are several. */
export type ResponseType<Operation> =
  IsUnion<ReturnedTypes<ResponsesOf<Operation>>> extends true
    ? MediaTypeOf<ReturnedTypes<ResponsesOf<Operation>>>
    : string | undefined;
