import { isMultipart, isUrlEncoded } from '../../../server/contract/media-types.ts';
import {
  type Content,
  dereference,
  modelOf,
  type OpenApiDocument,
  type Operation,
  type RequestBody,
  successKeys,
} from '../document.ts';
import { isRange, type ReadAs, readAs } from '../media-types.ts';
import type { OperationRow } from './operation-table.ts';

/** Body of the input of a function. */
export interface RequestTypes {
  /** Properties of the input. */
  properties: string[];
  /** Media type, if it is the only one and not that of JSON. */
  contentType?: string;
  /** Properties of the input for each media type, if the input selects it. */
  variants?: string[];
  /** Media type of an input that selects none. */
  defaultType?: string;
}

/** Result of a function. */
export interface ResponseTypes {
  type: string;
  /** How the body is read unless the options select another way. Omitted for JSON and no content. */
  parseAs?: Exclude<ReadAs, 'json'> | 'auto';
}

/** Names the types of bodies, and collects the models to import. */
export interface BodyTypes {
  /** Exported names of models. */
  models: ReadonlySet<string>;
  request(id: string, operation: Operation, body: OperationRow['body']): RequestTypes;
  response(id: string, operation: Operation): ResponseTypes;
}

const JSON_TYPE = 'application/json';

/** Text between single quotes. */
export const quoted = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");

/**
 * @param names names of the types of models
 * @param imported names of imported models by their exported names
 */
export function createBodyTypes(
  document: OpenApiDocument,
  names: Map<string, string>,
  imported: ReadonlyMap<string, string>,
): BodyTypes {
  const models = new Set<string>();
  /** Returns the type of a body of a media type: a model, or a member of the type of its content. */
  const typeOf = (content: Content, type: string, contentType: string): string => {
    const { $ref } = content[type]?.schema ?? {};
    const model = modelOf($ref) ?? '';
    const name = names.get(model);
    if (name === undefined || !Object.hasOwn(document.components?.schemas ?? {}, model)) {
      return `${contentType}['${quoted(type)}']`;
    }
    models.add(name);
    return imported.get(name) ?? name;
  };
  return {
    models,
    request(id, operation, body) {
      const { content = {} } = operation.requestBody
        ? dereference<RequestBody>(document, operation.requestBody)
        : {};
      const types = Object.keys(content);
      const [first] = types;
      if (body === false || first === undefined) {
        return { properties: [] };
      }
      const isOptional = body === 'optional';
      const parent = `operations['${quoted(id)}']`;
      const contentType = `NonNullable<${isOptional ? `Required<${parent}>` : parent}['requestBody']>['content']`;
      const valueType = (type: string) => bodyValue(type, () => typeOf(content, type, contentType));
      if (types.length === 1 && !isRange(first)) {
        const property = isOptional ? `body?: ${valueType(first)} | undefined` : `body: ${valueType(first)}`;
        return { properties: [property], ...(first === JSON_TYPE ? {} : { contentType: first }) };
      }
      const variants = types.map((type) =>
        type === JSON_TYPE
          ? `{ body: ${valueType(type)}; contentType?: '${type}' | undefined }`
          : `{ body: ${valueType(type)}; contentType: ${rangeType(type)} }`,
      );
      const none = isOptional ? ['{ body?: undefined; contentType?: undefined }'] : [];
      const defaultType = types.includes(JSON_TYPE) ? { defaultType: JSON_TYPE } : {};
      return { properties: [], variants: [...variants, ...none], ...defaultType };
    },
    response(id, operation) {
      const keys = successKeys(operation);
      // The body at the target of a redirect is not declared.
      if (keys.every((key) => key.startsWith('3'))) {
        return { type: 'Parsed[As]', parseAs: 'blob' };
      }
      const successes = keys.map((status) => {
        const declared = operation.responses?.[status];
        return { status, content: (declared && dereference(document, declared).content) ?? {} };
      });
      const types = successes.flatMap(({ content }) => Object.keys(content));
      const ways = new Set(types.map(readAs));
      const results = successes.flatMap(({ status, content }) => {
        const key = /^\d+$/.test(status) ? status : `'${quoted(status)}'`;
        const contentType = `operations['${quoted(id)}']['responses'][${key}]['content']`;
        const declared = Object.keys(content).filter((type) => readAs(type) === 'json');
        return Object.keys(content).length === 0
          ? ['void']
          : declared.map((type) => typeOf(content, type, contentType));
      });
      const json = [...new Set(results)].join(' | ');
      const [other, ...more] = [...ways].filter((way) => way !== 'json');
      if (other === undefined) {
        return { type: json };
      }
      if (!ways.has('json')) {
        // Different types of several statuses are read like the first one.
        return { type: [...new Set([...results, 'Parsed[As]'])].join(' | '), parseAs: other };
      }
      const others = [other, ...more].map((way) => `Parsed['${way}']`).join(' | ');
      return { type: `Mixed<As, ${json}, ${others}>`, parseAs: 'auto' };
    },
  };
}

/** Type of the value to pass for a body of a media type. */
function bodyValue(type: string, declared: () => string): string {
  if (isMultipart(type)) {
    return `${declared()} | FormData`;
  }
  if (isUrlEncoded(type)) {
    return `${declared()} | URLSearchParams`;
  }
  const way = readAs(type);
  return way === 'json' ? declared() : way === 'text' ? 'string' : 'BinaryBody';
}

/** Type of the media types in a range such as `image/*`. */
function rangeType(type: string): string {
  if (!isRange(type)) {
    return `'${quoted(type)}'`;
  }
  const [main = ''] = type.split('/');
  return main === '*' ? 'string' : `\`${quoted(main)}/\${string}\``;
}
