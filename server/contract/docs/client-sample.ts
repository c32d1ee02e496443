import type { OpenApiDocument } from '../document.ts';
import { isObject, textLiteral } from '../json-values.ts';
import { isJsonType, isMultipart, isTextType, isUrlEncoded } from '../media-types.ts';
import { functionName, isIdentifier } from './function-name.ts';
import { preferredMedia, specificType } from './media.ts';
import type { OperationReference } from './reference.ts';
import { bodyExample, parameterValue, sampleFields, sampleParameters } from './sample-values.ts';

/** Calls the function that the toolkit generates for the operation. */
export function clientSample(document: OpenApiDocument, operation: OperationReference): string {
  const { parameters } = operation;
  const input = new Map<string, string>();
  const valuesIn = (location: string): [string, unknown][] =>
    sampleParameters(operation, location)
      .filter(({ name }) => location !== 'header' || !/^idempotency-key$/i.test(name))
      .map((parameter) => [parameter.name, parameterValue(document, parameter)]);
  for (const [name, value] of valuesIn('path')) {
    input.set(name, literal(value));
  }
  const query = valuesIn('query');
  const isNested = parameters.some(
    ({ in: location, name }) =>
      location === 'query' && (input.has(name) || ['body', 'contentType', 'header', 'cookie'].includes(name)),
  );
  for (const [name, value] of isNested ? [] : query) {
    input.set(name, literal(value));
  }
  for (const [name, values] of [
    ['query', isNested ? query : []],
    ['header', valuesIn('header')],
    ['cookie', valuesIn('cookie')],
  ] as const) {
    if (values.length > 0) {
      input.set(name, literal(Object.fromEntries(values)));
    }
  }
  for (const [name, value] of clientBody(document, operation)) {
    input.set(name, value);
  }
  const fields = [...input].map(([name, value]) => (name === value ? name : `${key(name)}: ${value}`));
  const oneLine = fields.length === 0 ? '' : `, { ${fields.join(', ')} }`;
  const isShort = !oneLine.includes('\n') && oneLine.length <= 60;
  const last = isShort ? oneLine : `, {\n${fields.map((field) => `  ${indent(field)},\n`).join('')}}`;
  return `${hasContent(operation) ? 'const result = ' : ''}await ${functionName(operation.id)}(client${last});`;
}

function clientBody(document: OpenApiDocument, operation: OperationReference): [string, string][] {
  const media = preferredMedia(operation);
  if (media === undefined) {
    return [];
  }
  const types = operation.body?.content.map(({ type }) => type) ?? [];
  const needsType = media.type.includes('*') || (types.length > 1 && media.type !== 'application/json');
  const contentType: [string, string][] = needsType
    ? [['contentType', literal(specificType(media.type))]]
    : [];
  const example = bodyExample(document, media);
  if (isMultipart(media.type)) {
    const fields = sampleFields(document, media).map(({ name, isFile, isList, value: fieldValue }) => {
      const value = isFile ? (isList ? '[file]' : 'file') : literal(fieldValue);
      return name === value ? name : `${key(name)}: ${value}`;
    });
    return [['body', `{ ${fields.join(', ')} }`], ...contentType];
  }
  const isData = isJsonType(media.type) || isUrlEncoded(media.type) || isTextType(media.type);
  return [['body', isData ? literal(example ?? (isJsonType(media.type) ? {} : '')) : 'file'], ...contentType];
}

const hasContent = ({ responses }: OperationReference) =>
  responses.some(({ status, content }) => status.startsWith('2') && content.length > 0);

const key = (name: string) => (isIdentifier(name) ? name : literal(name));
const indent = (text: string) => text.replaceAll('\n', '\n  ');

/** Formats a value as TypeScript. */
function literal(value: unknown): string {
  if (typeof value === 'string') {
    return textLiteral(value);
  }
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) {
    return String(JSON.stringify(value));
  }
  const items = isList
    ? value.map(literal)
    : Object.entries(value).map(([name, member]) => `${key(name)}: ${literal(member)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const space = isList || items.length === 0 ? '' : ' ';
  const line = `${open}${space}${items.join(', ')}${space}${close}`;
  return line.length <= 60 && !line.includes('\n')
    ? line
    : `${open}\n${items.map((item) => `  ${indent(item)},\n`).join('')}${close}`;
}
