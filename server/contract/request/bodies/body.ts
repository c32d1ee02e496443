import type { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { MediaTypeObject, OpenApiDocument, OperationObject } from '../../document.ts';
import { type Fault, unsupportedMediaType } from '../../errors.ts';
import { BodyMemory } from '../../limits/body-memory.ts';
import { DEFAULT_LIMITS, type RouterLimits } from '../../limits/limits.ts';
import {
  isMediaRange,
  type MediaKind,
  type MediaType,
  matchMediaType,
  mediaKindOf,
  parseMediaType,
} from '../../media-types.ts';
import type { ReadOnlyPolicy } from '../../validation/directions.ts';
import type { CheckValue } from '../../validation/schema-check.ts';
import { type BodyBounds, bodyFault, bodyTooLarge, codingOf, lengthOf, readBuffered } from './buffered.ts';
import { type FormSchema, formSchema } from './fields.ts';
import { parseForm, type UrlEncodedForm, urlEncodedForm } from './form.ts';
import { parseJson } from './json.ts';
import { JsonScanner } from './json-scanner.ts';
import { multipartBody } from './multipart.ts';
import { receiveStream } from './receive.ts';
import { isCharset, parseText, textCheck } from './text.ts';

/** A request body. */
export interface Body {
  /** The value for the handler. Undefined if there is no body or it is invalid. */
  value: unknown;
  /** Parsed JSON that remains to be validated, with its declared media type. */
  json?: { type: string; value: unknown };
  /** Uncompressed size; 0 for a stream. */
  bytes: number;
  /** The raw body, if the handler reads it while it arrives. */
  stream?: Readable;
}

/** Reads the bodies of one operation in two steps: before and after the caller is authenticated. */
export interface BodyReader {
  /**
   * Checks the headers that describe the body.
   *
   * @throws ContractError 413 if the body is too large; 415 for an unsupported media type, charset or content coding
   */
  checkHeaders(req: Request): void;
  /**
   * Reads and parses a body. Errors of its format are added to `faults`.
   *
   * @param caller the key that the memory of the body is counted under
   * @throws ContractError 400 for a truncated or too deeply nested body; 408 if it arrives too slowly; 413 if it
   *   exceeds a limit after decompression; 415 like `checkHeaders`; 503 when the memory limit is exceeded
   */
  read(req: Request, res: Response, caller: string, faults: Fault[]): Promise<Body>;
}

const NO_BODY: Body = { value: undefined, bytes: 0 };

/** A declared media type of a body. */
interface Format {
  declared: string;
  kind: MediaKind;
  form?: UrlEncodedForm;
  parts?: FormSchema;
  checkText: CheckValue;
}

/**
 * Creates the body reader of an operation. JSON, forms and text are read, plain or compressed, before the handler is
 * called; the handler reads multipart bodies and all other types as streams. The body is ignored if the operation
 * declares none, and an empty body is accepted if it is optional.
 */
export function bodyReader(
  document: OpenApiDocument,
  { requestBody, ...operation }: OperationObject,
  limits: RouterLimits = DEFAULT_LIMITS,
  memory = new BodyMemory(limits.bufferedBytes, limits.bufferedBytesPerCaller),
  readOnly: ReadOnlyPolicy = 'ignore',
): BodyReader {
  if (!requestBody) {
    return { checkHeaders: () => undefined, read: async () => NO_BODY };
  }
  const formats = new Map(
    Object.entries(requestBody.content).map(([type, media]) => [
      type,
      formatOf(document, type, media, readOnly),
    ]),
  );
  const types = [...formats.keys()];
  const hasOneType = types.length === 1 && !types.some(isMediaRange);
  const limit = operation['x-max-body-bytes'] ?? limits.bodyBytes;
  const isRequired = requestBody.required === true;

  function find(req: Request): { format: Format; mediaType: MediaType } {
    const header = req.headers['content-type'];
    const mediaType = parseMediaType(header ?? '');
    const format = matchMediaType(formats, mediaType.essence);
    if (!format || !isSupportedCharset(format, mediaType)) {
      throw unsupportedType(header, types);
    }
    if (isStreamed(format) && (req.headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw unsupportedMediaType(
        'Unsupported Content-Encoding for this Content-Type. Send the body uncompressed.',
      );
    }
    return { format, mediaType };
  }

  return {
    checkHeaders: (req) => {
      const length = contentLengthOf(req);
      if (length !== undefined && length > limit) {
        throw bodyTooLarge(limit);
      }
      if (length === 0) {
        return;
      }
      codingOf(req);
      // A chunked body may turn out to be empty.
      if (length !== undefined) {
        find(req);
      }
    },
    read: async (req, res, caller, faults) => {
      const isEmpty = contentLengthOf(req) === 0;
      const declared = matchMediaType(formats, parseMediaType(req.headers['content-type'] ?? '').essence);
      // An empty text, form or file has a media type, unlike a missing body.
      const isAbsent = !declared || declared.kind === 'json';
      if (isEmpty && isAbsent) {
        return absent(isRequired, faults);
      }
      const reserve = memory.count(caller, res);
      const bounds = {
        bytes: limit,
        deadlineMs: limits.bodyDeadlineMs,
        inflationRatio: limits.inflationRatio,
        reserve,
      };
      if (declared && isStreamed(declared)) {
        const { mediaType } = find(req);
        return typed(readStream(req, res, declared, bounds, limits), mediaType, hasOneType);
      }
      const scanner = new JsonScanner({ maxDepth: limits.bodyDepth, maxTokens: limits.bodyTokens });
      const isJson = declared?.kind === 'json';
      const chunks = isEmpty
        ? []
        : await readBuffered(req, res, bounds, {
            onFirst: () => void find(req),
            ...(isJson && { onChunk: (chunk) => scanner.push(chunk) }),
          });
      if (chunks.length === 0 && isAbsent) {
        return absent(isRequired, faults);
      }
      const { format, mediaType } = find(req);
      return typed(await parse(chunks, format, mediaType, scanner, limits, faults), mediaType, hasOneType);
    },
  };
}

function absent(isRequired: boolean, faults: Fault[]): Body {
  if (isRequired) {
    faults.push(bodyFault('is required'));
  }
  return NO_BODY;
}

/** Adds the media type of a body that may have several. */
const typed = (body: Body, { essence }: MediaType, hasOneType: boolean): Body =>
  hasOneType ? body : { ...body, value: { contentType: essence, value: body.value } };

function formatOf(
  document: OpenApiDocument,
  declared: string,
  media: MediaTypeObject,
  readOnly: ReadOnlyPolicy,
): Format {
  const kind = mediaKindOf(declared);
  return {
    declared,
    kind: kind === 'events' ? 'text' : kind === 'lines' ? 'binary' : kind,
    ...(kind === 'form' && { form: urlEncodedForm(document, media, readOnly) }),
    ...(kind === 'multipart' && { parts: formSchema(document, media, readOnly) }),
    checkText: textCheck(document, media.schema),
  };
}

const isStreamed = ({ kind }: Format) => kind === 'binary' || kind === 'multipart';

/** JSON and forms are in UTF-8; text may be in any charset that can be decoded. */
function isSupportedCharset({ kind }: Format, { parameters: { charset } }: MediaType): boolean {
  if (charset === undefined || kind === 'binary' || kind === 'multipart') {
    return true;
  }
  return kind === 'text' ? isCharset(charset) : /^utf-?8$/i.test(charset);
}

/** Parses a body that is received completely. */
async function parse(
  chunks: readonly Buffer[],
  { declared, kind, form, checkText }: Format,
  { parameters }: MediaType,
  scanner: JsonScanner,
  limits: RouterLimits,
  faults: Fault[],
): Promise<Body> {
  const bytes = lengthOf(chunks);
  if (kind === 'json') {
    const value = await parseJson(chunks, scanner, faults);
    return { value, json: { type: declared, value }, bytes };
  }
  if (kind === 'form' && form) {
    return { value: await parseForm(chunks, form, limits.formParts, faults), bytes };
  }
  return { value: await parseText(chunks, parameters.charset ?? 'utf-8', checkText, faults), bytes };
}

/** Returns a body that the handler reads. */
function readStream(
  req: Request,
  res: Response,
  { parts }: Format,
  { bytes: limit, deadlineMs, reserve }: BodyBounds,
  limits: RouterLimits,
): Body {
  let bytes = 0;
  const onChunk = ({ length }: Buffer) => {
    bytes += length;
    if (bytes > limit) {
      throw bodyTooLarge(limit);
    }
  };
  const stream = receiveStream(req, res, { deadlineMs, onChunk });
  // Without a reader, the error of a stream would end the process.
  stream.on('error', () => undefined);
  const contentType = req.headers['content-type'] ?? '';
  const value = parts ? multipartBody(contentType, stream, parts, limits, reserve) : stream;
  return { value, bytes: 0, stream };
}

/** Returns the `Content-Length` of a request; 0 if there is no body, undefined for a chunked body. */
function contentLengthOf({ headers }: Request): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
}

const unsupportedType = (header: string | undefined, types: readonly string[]) =>
  unsupportedMediaType(
    `${header ? `Unsupported Content-Type: ${header.slice(0, 100)}` : 'Content-Type is required'}. Send the body with Content-Type: ${types.join(' or ')}.`,
  );
