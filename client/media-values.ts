// Types of the values of bodies by their media type.

/**
 * How the body of a success response is read: as JSON, as the method of `Response` with this name does, or (`auto`) by
 * its media type.
 */
export type ParseAs = 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream' | 'auto';

/** Results of {@link ParseAs}, except JSON and `auto`. */
export interface Parsed {
  text: string;
  blob: Blob;
  arrayBuffer: ArrayBuffer;
  stream: ReadableStream<Bytes>;
}

/** Body that is sent unchanged. A stream is sent only once, so such a call is not retried. */
export type BinaryBody =
  | Blob
  | ArrayBuffer
  | Extract<FetchBody, ArrayBufferView>
  | ReadableStream<Uint8Array>;

/** Body that `fetch` sends. Without the types of browsers, there is no `BodyInit`. */
export type FetchBody = NonNullable<ConstructorParameters<typeof Response>[0]>;

/** Bytes of a response: `Uint8Array<ArrayBuffer>`, which versions of TypeScript before 5.7 cannot express. */
export type Bytes = ReturnType<Uint8Array['slice']>;

/** The part of a media type before its parameters. */
type Essence<Type> = Type extends `${infer Name};${string}` ? Name : Type;

/** Sequences of JSON values, which are sent and read as streams. */
type LineType =
  | `application/${'' | 'x-'}${'ndjson' | 'jsonl' | 'jsonlines'}`
  | 'application/stream+json'
  | 'application/json-seq';

/** Those of the media types that are JSON. */
export type JsonOf<Type> = Type extends unknown
  ? Essence<Type> extends LineType
    ? never
    : Essence<Type> extends 'application/json' | `${string}+json`
      ? Type
      : never
  : never;

/** Value of a response of a media type that is read by it. */
export type ValueOf<Type, Body> =
  Type extends JsonOf<Type>
    ? Body
    : Essence<Type> extends LineType | 'text/event-stream'
      ? Parsed['stream']
      : Essence<Type> extends
            | `text/${string}`
            | `${string}${'/' | '+'}${'xml' | 'yaml'}`
            | `application/${'x-' | ''}${'yaml' | 'javascript'}`
        ? string
        : Blob;

/** Text that a response can be without `parseAs`, if the contract declares it next to JSON. */
export type TextOf<Type> =
  Essence<Type> extends 'text/html' | 'text/event-stream'
    ? never
    : Type extends `text/${string}`
      ? string
      : never;

/** Value to pass for a body of a media type. */
export type BodyValue<Type, Body> =
  Type extends JsonOf<Type>
    ? Body
    : Essence<Type> extends 'multipart/form-data'
      ? Body | FormData
      : Essence<Type> extends 'application/x-www-form-urlencoded'
        ? Body | URLSearchParams
        : Type extends `text/${string}`
          ? Body extends string
            ? Body
            : string
          : BinaryBody | Extract<Body, string>;

/** Media types that a range such as `image/*` includes. */
export type InRange<Type> = Type extends '*/*'
  ? string
  : Type extends `${infer Main}/*`
    ? `${Main}/${string}`
    : Type;
