import type { Schema } from '../schema/schema.ts';

/** A method in capitals, as it goes over the wire. */
export type HttpMethod = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'OPTIONS' | 'HEAD' | 'PATCH' | 'TRACE';

/** What a document says about requests and answers, its versions and references settled. */
export interface Contract {
  title: string;
  version: string;
  operations: readonly Operation[];
  /**
   * Every schema in it is one of JSON Schema 2020-12; references lead to these, by pointer (`#/components/schemas/X`).
   * One that looks different in requests or in answers is there once more: `#request/components/schemas/X`.
   */
  components: Readonly<Record<string, Schema>>;
}

/** One method on one path. */
export interface Operation {
  /** Its operation id, or method and path where it has none. */
  id: string;
  method: HttpMethod;
  /** With its parameters in braces. */
  path: string;
  /** Those of the path item and its own, references followed. */
  parameters: readonly Parameter[];
  body: RequestBody | undefined;
  /** By status, as the document writes it: `200`, `4XX`, `default`. */
  answers: Readonly<Record<string, Answer>>;
  /** One of these must be met; an empty list asks for nothing, and so does a requirement without schemes. */
  security: readonly Requirement[];
  deprecated: boolean;
}

/** One parameter. */
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required: boolean;
  /** How values become text (OpenAPI, Style Values). */
  style: 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject';
  explode: boolean;
  allowReserved: boolean;
  /** The media type that it is written in, for parameters with `content`. */
  mediaType?: string;
  /** As requests see it: without what is only read. */
  schema: Schema;
  /** Values that the document gives as examples. */
  examples: readonly unknown[];
}

/** A request's body. */
export interface RequestBody {
  required: boolean;
  /** By media type, as the document writes it; without what is only read. */
  content: Readonly<Record<string, MediaType>>;
}

/** A body in one media type. */
export interface MediaType {
  schema: Schema | undefined;
  examples: readonly unknown[];
}

/** An answer that the document declares. */
export interface Answer {
  /** In lower case. */
  headers: Readonly<Record<string, { required: boolean; schema: Schema | undefined }>>;
  /** By media type; without what is only written. Empty for an answer without a body. */
  content: Readonly<Record<string, MediaType>>;
  /** Where the document itself says which value feeds which parameter. */
  links: readonly Link[];
}

/** A declared link (OpenAPI, Link Object). */
export interface Link {
  /** The operation that it leads to, by `Operation.id`. */
  operation: string;
  /** Runtime expressions or constants by parameter, as written: `$response.body#/id`. A name may be qualified: `path.id`. */
  parameters: Readonly<Record<string, unknown>>;
  requestBody?: unknown;
}

/** Schemes that must be met together. */
export type Requirement = readonly SecurityScheme[];

/** How callers say who they are. */
export interface SecurityScheme {
  name: string;
  /** Where the token goes: a bearer token, basic credentials, or a key in a header, the query or a cookie. */
  kind: 'bearer' | 'basic' | 'header' | 'query' | 'cookie' | 'unsupported';
  /** The name of the header, query parameter or cookie. */
  parameter?: string;
}
