/** The part of a media type before its parameters, as a type. */
type WithoutParameters<Type> = Type extends `${infer Essence};${string}` ? Essence : Type;

/** A media type that matches a declared one: `image/*` permits any image. */
export type MediaTypeOf<Declared> =
  WithoutParameters<Declared> extends infer Type
    ? Type extends '*/*'
      ? `${string}/${string}`
      : Type extends `${infer Main}/*`
        ? `${Main}/${string}`
        : Type
    : never;

/** How the runtime represents the values of a media type. */
export type MediaKind = 'json' | 'text' | 'form' | 'multipart' | 'events' | 'lines' | 'binary';

/** Sequences of JSON values, one on each line. */
type LineType =
  | `application/${'' | 'x-'}${'ndjson' | 'jsonl' | 'jsonlines'}`
  | 'application/stream+json'
  | 'application/json-seq';

type TextType =
  | `text/${string}`
  | `application/${'xml' | 'yaml' | 'x-yaml' | 'javascript'}`
  | `${string}+${'xml' | 'yaml'}`;

/** {@link MediaKind} of a declared media type, as a type. */
export type MediaKindOf<Declared> =
  WithoutParameters<Declared> extends infer Type
    ? Type extends LineType
      ? 'lines'
      : Type extends 'application/json' | `${string}+json`
        ? 'json'
        : Type extends 'application/x-www-form-urlencoded'
          ? 'form'
          : Type extends 'multipart/form-data'
            ? 'multipart'
            : Type extends 'text/event-stream'
              ? 'events'
              : Type extends TextType
                ? 'text'
                : 'binary'
    : never;

export type IsUnion<Type, Whole = Type> = Type extends Whole
  ? [Whole] extends [Type]
    ? false
    : true
  : never;

/** Whether a value has exactly one media type, so that it need not be specified. */
export type HasOneMediaType<Content> =
  IsUnion<keyof Content> extends false
    ? MediaTypeOf<keyof Content> extends WithoutParameters<keyof Content>
      ? true
      : false
    : false;

/** A parsed `Content-Type`. */
export interface MediaType {
  /** In lower case, without parameters: `text/plain`. */
  essence: string;
  /** Parameters by lower-case name. */
  parameters: Readonly<Record<string, string>>;
}

const PARAMETER = /;\s*([^=;\s]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g;

/** Parses a media type with parameters (RFC 9110, section 8.3.1); the first parameter of a name applies. */
export function parseMediaType(text: string): MediaType {
  const end = text.indexOf(';');
  if (end < 0) {
    return { essence: text.trim().toLowerCase(), parameters: {} };
  }
  const parameters: Record<string, string> = {};
  for (const [, name = '', quoted, plain = ''] of text.slice(end).matchAll(PARAMETER)) {
    parameters[name.toLowerCase()] ??=
      quoted === undefined ? plain.trim() : quoted.replaceAll(/\\(.)/g, '$1');
  }
  return { essence: text.slice(0, end).trim().toLowerCase(), parameters };
}

/** Returns the kind of a media type or range. */
export function mediaKindOf(essence: string): MediaKind {
  if (LINES.test(essence)) {
    return 'lines';
  }
  if (essence === 'application/json' || essence.endsWith('+json')) {
    return 'json';
  }
  return KINDS[essence] ?? (TEXT.test(essence) ? 'text' : 'binary');
}

const LINES = /^application\/(?:(?:x-)?(?:ndjson|jsonl|jsonlines)|stream\+json|json-seq)$/;
const TEXT = /^text\/|^application\/(?:xml|yaml|x-yaml|javascript)$|\+(?:xml|yaml)$/;

const KINDS: Readonly<Record<string, MediaKind>> = {
  'application/x-www-form-urlencoded': 'form',
  'multipart/form-data': 'multipart',
  'text/event-stream': 'events',
};

const kindOf = (type: string): MediaKind => mediaKindOf(parseMediaType(type).essence);

/** Returns whether a media type, with or without parameters, is JSON. */
export const isJsonType = (type: string): boolean => kindOf(type) === 'json';
/** Returns whether a media type is a form with parts. Other types of `multipart/` are not forms. */
export const isMultipart = (type: string): boolean => kindOf(type) === 'multipart';
/** Returns whether a media type is a URL-encoded form. */
export const isUrlEncoded = (type: string): boolean => kindOf(type) === 'form';
/** Returns whether a media type is written as text. */
export const isTextType = (type: string): boolean => ['text', 'lines', 'events'].includes(kindOf(type));

/** Returns the declared media type or range that a media type matches: the most specific one. */
export function matchMediaType<Value>(
  declared: ReadonlyMap<string, Value>,
  essence: string,
): Value | undefined {
  return (
    declared.get(essence) ??
    declared.get(`${essence.slice(0, essence.indexOf('/'))}/*`) ??
    (essence.includes('/') ? declared.get('*/*') : undefined)
  );
}

/** Returns whether a declared media type is a range, such as `image/*`. */
export const isMediaRange = (essence: string) => essence.endsWith('/*');
