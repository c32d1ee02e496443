import { MAX_BODY_DEPTH, MAX_BODY_TOKENS } from '../request/bodies/json-scanner.ts';
import { BODY_DEADLINE_MS } from '../request/bodies/receive.ts';
import { MAX_QUERY_PARAMETERS } from '../request/paths/target.ts';
import { STALL_TIMEOUT_MS } from '../response/stall.ts';
import { MAX_BUFFERED_BODY_BYTES, MAX_BUFFERED_BODY_BYTES_PER_CALLER } from './body-memory.ts';
import { MAX_INFLATION_RATIO } from './inflation-ratio.ts';

/** Maximum body size of an operation that does not declare `x-max-body-bytes`. */
export const DEFAULT_MAX_BODY_BYTES = 1_048_576;

/** Maximum number of fields of a form, and of parts of a multipart body. */
export const MAX_FORM_PARTS = 1000;

/** Maximum size of a field of a multipart body that is not a file. Files are limited by the size of the body. */
export const MAX_FIELD_BYTES = 1_048_576;

/** Maximum length of the name of a part or of its file. */
export const MAX_PART_NAME_CHARACTERS = 255;

/** Limits of a router. */
export interface RouterLimits {
  /** Maximum body size of operations that do not declare `x-max-body-bytes`. */
  bodyBytes: number;
  /** Time limit for receiving a body, extended in proportion to its size. */
  bodyDeadlineMs: number;
  /** Maximum nesting depth of JSON. */
  bodyDepth: number;
  /** Maximum number of JSON values and keys in a body. */
  bodyTokens: number;
  /** Maximum compression ratio of a body larger than 1 MiB. */
  inflationRatio: number;
  /** Maximum memory for the bodies of all pending requests, and the same for responses. */
  bufferedBytes: number;
  /** Maximum memory for the bodies of one caller's pending requests, and the same for responses. */
  bufferedBytesPerCaller: number;
  /** Maximum number of query parameters. */
  queryParameters: number;
  /** Maximum number of fields of a form, and of parts of a multipart body. */
  formParts: number;
  /** Maximum size of a field of a multipart body that is not a file. */
  fieldBytes: number;
  /** Maximum length of the name of a part or of its file. */
  partNameCharacters: number;
  /** Time without progress before the connection of a response is closed. */
  stallMs: number;
}

/** The limits of a router that specifies no others. */
export const DEFAULT_LIMITS: RouterLimits = {
  bodyBytes: DEFAULT_MAX_BODY_BYTES,
  bodyDeadlineMs: BODY_DEADLINE_MS,
  bodyDepth: MAX_BODY_DEPTH,
  bodyTokens: MAX_BODY_TOKENS,
  inflationRatio: MAX_INFLATION_RATIO,
  bufferedBytes: MAX_BUFFERED_BODY_BYTES,
  bufferedBytesPerCaller: MAX_BUFFERED_BODY_BYTES_PER_CALLER,
  queryParameters: MAX_QUERY_PARAMETERS,
  formParts: MAX_FORM_PARTS,
  fieldBytes: MAX_FIELD_BYTES,
  partNameCharacters: MAX_PART_NAME_CHARACTERS,
  stallMs: STALL_TIMEOUT_MS,
};
