import type { Schema } from '../schema/schema.ts';

/** HTTP method in uppercase. */
export type HttpMethod = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'OPTIONS' | 'HEAD' | 'PATCH' | 'TRACE';

/** Requests and responses of a document, independent of its version, with references resolved. */
export interface Contract {
  title: string;
  version: string;
  operations: readonly Operation[];
  /**
   * Schemas in JSON Schema 2020-12, by the pointer of their references (`#/components/schemas/X`). A schema that
   * differs in requests or responses has an additional entry: `#request/components/schemas/X`.
   */
  components: Readonly<Record<string, Schema>>;
}

/** Operation: one method on one path. */
export interface Operation {
  /** Operation id, or method and path without one. */
  id: string;
  method: HttpMethod;
  /** Path template with parameters in braces. */
  path: string;
  /** Parameters of the path item and the operation, with references resolved. */
  parameters: readonly Parameter[];
  body: RequestBody | undefined;
  /** Declared responses by status, as in the document: `200`, `4XX`, `default`. */
  responses: Readonly<Record<string, DeclaredResponse>>;
  /** Alternative security requirements. An empty list, or a requirement without schemes, needs no credentials. */
  security: readonly Requirement[];
  deprecated: boolean;
  /** Whether it only reads (`x-safe`), although its method does not state so. */
  isSafe?: boolean;
}

/** Parameter of an operation. */
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required: boolean;
  /** Serialization style (OpenAPI, Style Values). */
  style: 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject';
  explode: boolean;
  allowReserved: boolean;
  /** Whether the value can be empty, whatever the schema (OpenAPI, Parameter Object). */
  allowsEmpty?: boolean;
  /** Media type of parameters with `content`. */
  mediaType?: string;
  /** Schema without read-only properties. */
  schema: Schema;
  /** Examples of the document. */
  examples: readonly unknown[];
}

/** Request body. */
export interface RequestBody {
  required: boolean;
  /** Content by media type, without read-only properties. */
  content: Readonly<Record<string, MediaType>>;
}

/** Content of one media type. */
export interface MediaType {
  schema: Schema | undefined;
  examples: readonly unknown[];
}

/** Declared response. */
export interface DeclaredResponse {
  /** By name in lowercase. */
  headers: Readonly<Record<string, { required: boolean; schema: Schema | undefined }>>;
  /** Content by media type, without write-only properties; empty for a response without a body. */
  content: Readonly<Record<string, MediaType>>;
  /** Declared links to other operations. */
  links: readonly Link[];
}

/** Declared link (OpenAPI, Link Object). */
export interface Link {
  /** `Operation.id` of the target. */
  operation: string;
  /**
   * Runtime expressions or constants by parameter, as written: `$response.body#/id`. A name may be qualified:
   * `path.id`.
   */
  parameters: Readonly<Record<string, unknown>>;
  requestBody?: unknown;
}

/** Schemes that are required together. */
export type Requirement = readonly SecurityScheme[];

/** Authentication scheme. */
export interface SecurityScheme {
  name: string;
  /** Use of the token: bearer token, basic credentials, or key in a header, the query or a cookie. */
  kind: 'bearer' | 'basic' | 'header' | 'query' | 'cookie' | 'unsupported';
  /** Name of the header, query parameter or cookie. */
  parameter?: string;
}
