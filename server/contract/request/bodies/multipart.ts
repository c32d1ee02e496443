import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { OpenApiDocument } from '../../document.ts';
import { ContractError, contentTooLarge, type Fault } from '../../errors.ts';
import type { RouterLimits } from '../../limits/limits.ts';
import { isJsonType, matchMediaType } from '../../media-types.ts';
import { refusal } from '../../validation/faults.ts';
import { parseJsonText } from '../values/json-text.ts';
import { rawTexts } from '../values/raw-value.ts';
import { ValueReader } from '../values/value-reader.ts';
import type { FieldPart, FilePart, MultipartBody } from './body-types.ts';
import { bodyFault, unsafeText } from './buffered.ts';
import type { FormField, FormSchema } from './fields.ts';
import { JsonScanner } from './json-scanner.ts';
import { type RawPart, rawParts } from './multipart-parser.ts';

type Part = FieldPart | FilePart;

/**
 * Parses a multipart body (RFC 7578) while it arrives. Each part is validated when it is read; that no required part
 * is missing is known at the end.
 *
 * @param contentType the `Content-Type` of the request, with its boundary
 * @param source the raw body
 * @param reserve reserves memory for files that are buffered
 */
export function multipartBody(
  contentType: string,
  source: Readable,
  schema: FormSchema,
  limits: RouterLimits,
  reserve: (bytes: number) => void,
): MultipartBody<Record<string, unknown>> {
  let isRead = false;
  const parts = () => {
    if (isRead) {
      throw new Error('A multipart body can be read only once.');
    }
    isRead = true;
    return readParts(contentType, source, schema, limits);
  };
  // The types of the parts follow from the contract, which the generic caller knows.
  return {
    [Symbol.asyncIterator]: parts as () => AsyncIterator<never>,
    read: async () => {
      const form: Record<string, unknown> = {};
      for await (const part of parts()) {
        const field = schema.fields.get(part.name) ?? schema.others;
        if (!field?.isList && Object.hasOwn(form, part.name)) {
          throw refusal([bodyFault('must not be repeated', part.name)]);
        }
        const value = 'stream' in part ? await fileOf(part, reserve) : part.value;
        const list = form[part.name];
        if (!field?.isList) {
          form[part.name] = value;
        } else if (Array.isArray(list)) {
          list.push(value);
        } else {
          form[part.name] = [value];
        }
      }
      const faults = schema.check(form);
      if (faults.length > 0) {
        throw refusal(faults);
      }
      return form as never;
    },
  };
}

async function fileOf(part: FilePart, reserve: (bytes: number) => void): Promise<File> {
  part.stream.on('data', (chunk: Buffer) => reserve(chunk.length));
  const bytes = await buffer(part.stream);
  return new File([bytes], part.filename ?? part.name, { type: part.contentType });
}

async function* readParts(
  contentType: string,
  source: Readable,
  schema: FormSchema,
  limits: RouterLimits,
): AsyncGenerator<Part> {
  const seen = new Set<string>();
  let count = 0;
  for await (const raw of rawParts(contentType, source)) {
    count += 1;
    if (count > limits.formParts) {
      throw contentTooLarge(`The request body has more than ${limits.formParts} parts.`);
    }
    for (const part of await readPart(raw, schema, seen, limits)) {
      seen.add(part.name);
      if (!schema.fields.get(part.name)?.isIgnored) {
        yield part;
      }
    }
  }
  const missing = schema.required.filter((name) => !seen.has(name));
  if (missing.length > 0) {
    throw refusal(missing.map((name) => bodyFault('is required', name)));
  }
}

/** Returns the parts that a part consists of: several, if it is the JSON of a whole list. */
async function readPart(
  { name, filename, contentType: sent, stream }: RawPart,
  { document, fields, others, isOpen }: FormSchema,
  seen: ReadonlySet<string>,
  limits: RouterLimits,
): Promise<Part[]> {
  const max = limits.partNameCharacters;
  if (name === undefined || name === '') {
    throw refusal([bodyFault('must have a name in the Content-Disposition of each part')]);
  }
  if (name.length > max || unsafeText(name) !== undefined || name === '__proto__') {
    throw refusal([bodyFault(`is not a valid name of a part (up to ${max} characters)`, name)]);
  }
  if (filename !== undefined && (filename.length > max || unsafeText(filename) !== undefined)) {
    throw refusal([bodyFault(`must have a valid file name of up to ${max} characters`, name)]);
  }
  const field = fields.get(name) ?? others;
  if (!field && !isOpen) {
    throw refusal([bodyFault(`is not a known field (known: ${[...fields.keys()].join(', ')})`, name)]);
  }
  if (field && !field.isList && seen.has(name)) {
    throw refusal([bodyFault('must not be repeated', name)]);
  }
  const contentType = filename === undefined ? typeOfPart(sent, field) : sent;
  const isOfOtherType = field && field.contentTypes.length > 0 && !isPermitted(field, contentType);
  if (isOfOtherType && (field.isFile || !field.type.kinds?.has('null'))) {
    throw otherType(field, name);
  }
  if (field ? field.isFile : filename !== undefined) {
    return [{ name, filename: filename === '' ? undefined : filename, contentType, stream }];
  }
  const isJson = field?.isJson === 'typed' || !field ? isJsonType(contentType) : field.isJson;
  const value = await readField({ name, stream, isJson, document, field, limits });
  // An empty text is null, whatever the media type of other values is.
  if (isOfOtherType && value !== null) {
    throw otherType(field, name);
  }
  // A client can send each item of a list, or the list.
  const isWholeList = field?.isList && isJson && Array.isArray(value) && !field.type.kinds?.has('array');
  const values = isWholeList ? value : [value];
  const faults = values.flatMap((item, index) =>
    (field && !field.isIgnored ? field.check(item) : []).map(({ path, message }) =>
      bodyFault(message, [name, ...(isWholeList ? [index] : []), ...(path === '' ? [] : [path])].join('.')),
    ),
  );
  if (faults.length > 0) {
    throw refusal(faults);
  }
  return values.map((item) => ({ name, value: item }));
}

/** Many clients send JSON without a media type, which is text/plain then (RFC 7578, section 4.4). */
const typeOfPart = (sent: string, field: FormField | undefined): string =>
  (sent === 'text/plain' && field?.contentTypes.find(isJsonType)) || sent;

const otherType = ({ contentTypes }: FormField, name: string) =>
  refusal([bodyFault(`must be of type ${contentTypes.join(' or ')}`, name)]);

function isPermitted({ contentTypes }: FormField, contentType: string): boolean {
  const permitted = new Map(contentTypes.map((type) => [type, true]));
  return matchMediaType(permitted, contentType) === true;
}

interface FieldSource {
  name: string;
  stream: Readable;
  isJson: boolean;
  document: OpenApiDocument;
  field: FormField | undefined;
  limits: RouterLimits;
}

/** Reads the value of a part that is not a file. */
async function readField(source: FieldSource): Promise<unknown> {
  const { name, stream, isJson, field, limits } = source;
  const { fieldBytes: maxBytes, bodyDepth, bodyTokens } = limits;
  const scanner = isJson ? new JsonScanner({ maxDepth: bodyDepth, maxTokens: bodyTokens }) : undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new ContractError(413, 'content_too_large', `The field ${name} exceeds ${maxBytes} bytes.`, {
        details: [bodyFault(`must not exceed ${maxBytes} bytes`, name)],
      });
    }
    scanner?.push(chunk);
    chunks.push(chunk);
  }
  const faults: Fault[] = [];
  const text = decodeField(Buffer.concat(chunks));
  if (text === undefined) {
    throw refusal([bodyFault('is not valid UTF-8', name)]);
  }
  // An empty text is null, as for fields that are not JSON.
  const isNull = text === '' && field?.type.kinds?.has('null');
  const value =
    scanner && !isNull ? parseJsonText(text, scanner, [name], faults) : parseField(source, text, faults);
  if (faults.length > 0) {
    throw refusal(faults);
  }
  return value;
}

function decodeField(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Reads a field that is not JSON. */
function parseField({ name, document, field }: FieldSource, text: string, faults: Fault[]): unknown {
  const reason = unsafeText(text);
  if (reason !== undefined) {
    faults.push(bodyFault(reason, name));
  }
  const report = (path: readonly string[], message: string) =>
    faults.push(bodyFault(message, path.join('.')));
  return field ? new ValueReader(document, report).read(rawTexts([text]), field.type, [name]) : text;
}
