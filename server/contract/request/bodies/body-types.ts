import type { Readable } from 'node:stream';
import type { HasOneMediaType, MediaKindOf, MediaTypeOf } from '../../media-types.ts';

/** A file of a multipart body. It must be read, or is discarded, before the next part. */
export interface FilePart<Name extends string = string> {
  readonly name: Name;
  /** The name of the file at the caller, without folders; undefined if it was not specified. */
  readonly filename: string | undefined;
  /** The media type that the caller specified; `application/octet-stream` if it did not. */
  readonly contentType: string;
  readonly stream: Readable;
}

/** A field of a multipart body: validated, and converted to the type that the contract declares. */
export interface FieldPart<Name extends string = string, Value = unknown> {
  readonly name: Name;
  readonly value: Value;
}

type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : Value;

/** The parts of a form, typed by its schema. Binary properties are files. */
export type PartOf<Form> = {
  [Name in keyof Form & string]-?: ItemOf<NonNullable<Form[Name]>> extends Blob
    ? FilePart<Name>
    : FieldPart<Name, ItemOf<NonNullable<Form[Name]>>>;
}[keyof Form & string];

type FileOf<Value> = Value extends Blob ? File : Value extends readonly Blob[] ? File[] : Value;

/** A form with its files in memory. */
export type FormOf<Form> = { [Name in keyof Form]: FileOf<Form[Name]> };

/**
 * A multipart body. Either iterate over its parts in the order they are sent, without buffering files, or
 * read them all. A part that is invalid, a missing part and an exceeded limit are thrown as a `ContractError`, which
 * the handler should not catch.
 */
export interface MultipartBody<Form> extends AsyncIterable<PartOf<Form>> {
  /** Reads all parts into an object of the contract's type. Files are buffered, so this suits small ones. */
  read(): Promise<FormOf<Form>>;
}

type BodyValue<Kind, Schema> = Kind extends 'json' | 'form'
  ? Schema
  : Kind extends 'multipart'
    ? MultipartBody<Schema>
    : Kind extends 'text' | 'events'
      ? Schema extends string
        ? Schema
        : string
      : Readable;

/**
 * The body of a request by its declared media types. With a single one, it is the value: parsed JSON, an object of form
 * fields, a {@link MultipartBody}, a string for text (`text/*`, XML, YAML), and a stream for all other types. With
 * several, or with a range such as `image/*`, it is `{ contentType, value }`.
 */
export type BodyOfContent<Content> =
  HasOneMediaType<Content> extends true
    ? BodyValue<MediaKindOf<keyof Content>, Content[keyof Content]>
    : {
        [Type in keyof Content]: {
          readonly contentType: MediaTypeOf<Type>;
          readonly value: BodyValue<MediaKindOf<Type>, Content[Type]>;
        };
      }[keyof Content];
