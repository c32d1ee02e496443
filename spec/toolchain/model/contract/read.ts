import { DEFAULT_STYLES } from '../../../../server/contract/document.ts';
import { messageOf } from '../../../../server/contract/errors.ts';
import { isObject, type Json, type JsonObject, METHODS } from '../../document.ts';
import { basePathFrom } from '../../normalize/server-address.ts';
import { References } from '../../references.ts';
import type { Source } from '../../source.ts';
import { UsageError } from '../../usage-error.ts';
import type {
  Contract,
  DeclaredResponse,
  HttpMethod,
  Link,
  MediaType,
  Operation,
  Parameter,
  RequestBody,
} from './contract.ts';
import { examplesOf } from './examples.ts';
import { linksOf } from './links.ts';
import { SchemaReader, type View } from './schemas.ts';
import { SecurityReader } from './security.ts';

/**
 * Reads the requests and responses of a document.
 * @throws {UsageError} for references to other files or missing values, and for parts that are not valid OpenAPI
 */
export function readContract(source: Source): Contract {
  return new ContractReader(source).read();
}

/**
 * Returns the path of a document's first server without a trailing slash; empty if there is none.
 * @throws {UsageError} if the address of the server has no path that a router can serve
 */
export function basePathOf({ name, root }: Source): string {
  try {
    return basePathFrom(root.servers);
  } catch (error) {
    throw new UsageError(`${name}: ${messageOf(error)}`);
  }
}

/** Headers that other parts of a document define (OpenAPI, Parameter Object). */
const IGNORED_HEADER_PARAMETERS = new Set(['accept', 'content-type', 'authorization']);
const STYLES = [
  'simple',
  'label',
  'matrix',
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
] as const;

class ContractReader {
  readonly #source: Source;
  readonly #root: JsonObject;
  readonly #references: References;
  readonly #schemas: SchemaReader;
  readonly #security: SecurityReader;

  constructor(source: Source) {
    this.#source = source;
    this.#root = source.root;
    this.#references = new References(source);
    const components = this.#object(this.#root.components, 'components') ?? {};
    this.#schemas = new SchemaReader(
      this.#references,
      this.#object(components.schemas, 'components.schemas') ?? {},
      String(this.#root.openapi).startsWith('3.0'),
    );
    this.#security = new SecurityReader(
      this.#references,
      this.#object(components.securitySchemes, 'components.securitySchemes') ?? {},
    );
  }

  read(): Contract {
    const entries: { operation: Operation; raw: JsonObject }[] = [];
    const ids = new Set<string>();
    for (const [path, source] of Object.entries(this.#object(this.#root.paths, 'paths') ?? {})) {
      if (!path.startsWith('/')) {
        continue;
      }
      const item = this.#object(source, `the path ${path}`) ?? {};
      for (const method of METHODS) {
        const raw = this.#object(item[method], `${method} ${path}`);
        if (!raw) {
          continue;
        }
        const operation = this.#operation(method.toUpperCase() as HttpMethod, path, item, raw, ids);
        ids.add(operation.id);
        entries.push({ operation, raw });
      }
    }
    const operations = entries.map(({ operation }) => operation);
    const info = this.#object(this.#root.info, 'info') ?? {};
    return {
      title: String(info.title ?? this.#source.name),
      version: String(info.version ?? ''),
      operations: entries.map(({ operation, raw }) => this.#linked(operation, raw, operations)),
      components: this.#schemas.components,
    };
  }

  #operation(
    method: HttpMethod,
    path: string,
    item: JsonObject,
    raw: JsonObject,
    usedIds: ReadonlySet<string>,
  ): Operation {
    const named = typeof raw.operationId === 'string' && !usedIds.has(raw.operationId);
    const id = named ? String(raw.operationId) : `${method} ${path}`;
    const isBodiless = (status: string) => method === 'HEAD' || /^(204|205|304)$/.test(status);
    return {
      id,
      method,
      path: path.replaceAll('{+', '{'),
      parameters: this.#parameters(path, [item.parameters, raw.parameters], id),
      body: this.#body(raw.requestBody, id),
      responses: Object.fromEntries(
        Object.entries(this.#object(raw.responses, `the responses of ${id}`) ?? {})
          .filter(([status]) => !status.startsWith('x-'))
          .map(([status, declared]) => {
            const response = this.#response(declared, `the response ${status} of ${id}`);
            // HTTP sends no body, even if one is declared (RFC 9110, 6.4.1).
            return [status, isBodiless(status) ? { ...response, content: {} } : response];
          }),
      ),
      security: this.#security.requirements(raw.security ?? this.#root.security),
      deprecated: raw.deprecated === true,
      ...(raw['x-safe'] === true && { isSafe: true }),
    };
  }

  /** @param lists parameters of the path item, then those of the operation, which take precedence */
  #parameters(path: string, lists: (Json | undefined)[], id: string): Parameter[] {
    const byKey = new Map<string, Parameter>();
    for (const source of lists.flatMap((list) => (Array.isArray(list) ? list : []))) {
      const parameter = this.#parameter(source, id);
      const { name, in: location } = parameter;
      if (location === 'header' && IGNORED_HEADER_PARAMETERS.has(name.toLowerCase())) {
        continue;
      }
      if (location === 'path' && !path.includes(`{${name}}`) && !path.includes(`{+${name}}`)) {
        continue;
      }
      byKey.set(`${location} ${location === 'header' ? name.toLowerCase() : name}`, parameter);
    }
    for (const [, plus, name = ''] of path.matchAll(/\{(\+?)([^{}]+)\}/g)) {
      const declared = byKey.get(`path ${name}`) ?? {
        ...{ name, in: 'path', required: true, style: 'simple', explode: false, allowReserved: false },
        ...{ schema: { type: 'string' }, examples: [] },
      };
      byKey.set(`path ${name}`, { ...declared, allowReserved: declared.allowReserved || plus === '+' });
    }
    return [...byKey.values()];
  }

  #parameter(source: Json, id: string): Parameter {
    const raw = this.#object(source, `a parameter of ${id}`) ?? {};
    const location = (['path', 'query', 'header', 'cookie'] as const).find(
      (candidate) => candidate === raw.in,
    );
    if (!location || typeof raw.name !== 'string') {
      throw new UsageError(
        `${this.#source.name}: a parameter of ${id} is in ${JSON.stringify(raw.in)} under the name ` +
          `${JSON.stringify(raw.name)}. Set a name, and "in" to "path", "query", "header" or "cookie".`,
      );
    }
    const style = STYLES.find((candidate) => candidate === raw.style) ?? DEFAULT_STYLES[location];
    const [content] = Object.entries(this.#object(raw.content, `the content of ${raw.name}`) ?? {});
    const media = content && this.#media(content[1], 'request', `the parameter ${raw.name} of ${id}`);
    return {
      name: raw.name,
      in: location,
      required: location === 'path' || raw.required === true,
      style,
      explode: typeof raw.explode === 'boolean' ? raw.explode : style === 'form',
      allowReserved: raw.allowReserved === true || raw['x-allow-reserved'] === true,
      ...(location === 'query' && raw.allowEmptyValue === true && { allowsEmpty: true }),
      ...(content && { mediaType: content[0] }),
      schema: media ? (media.schema ?? {}) : this.#schemas.read(raw.schema, 'request'),
      examples: media ? media.examples : this.#examples(raw),
    };
  }

  #body(source: Json | undefined, id: string): RequestBody | undefined {
    const raw = this.#object(source, `the request body of ${id}`);
    if (!raw) {
      return undefined;
    }
    return { required: raw.required === true, content: this.#content(raw.content, 'request', id) };
  }

  #response(source: Json, subject: string): DeclaredResponse {
    const raw = this.#object(source, subject) ?? {};
    const headers = Object.entries(this.#object(raw.headers, `the headers of ${subject}`) ?? {})
      .filter(([name]) => name.toLowerCase() !== 'content-type')
      .map(([name, header]) => {
        const { required, schema } = this.#object(header, `the header ${name} of ${subject}`) ?? {};
        const read = schema === undefined ? undefined : this.#schemas.read(schema, 'response');
        return [name.toLowerCase(), { required: required === true, schema: read }] as const;
      });
    return {
      headers: Object.fromEntries(headers),
      content: this.#content(raw.content, 'response', subject),
      links: [],
    };
  }

  #content(source: Json | undefined, view: View, subject: string): Record<string, MediaType> {
    return Object.fromEntries(
      Object.entries(this.#object(source, `the content of ${subject}`) ?? {}).map(([type, media]) => [
        type,
        this.#media(media, view, subject),
      ]),
    );
  }

  #media(source: Json, view: View, subject: string): MediaType {
    const raw = this.#object(source, `the content of ${subject}`) ?? {};
    return {
      schema: raw.schema === undefined ? undefined : this.#schemas.read(raw.schema, view),
      examples: this.#examples(raw),
    };
  }

  #examples(raw: JsonObject): Json[] {
    const schema = isObject(raw.schema) ? this.#references.object(raw.schema, 'a schema') : raw.schema;
    return examplesOf(schema === undefined ? raw : { ...raw, schema }, (example) =>
      this.#object(example, 'an example'),
    );
  }

  /** Adds the links that the responses of an operation declare, which may refer to later operations. */
  #linked(operation: Operation, raw: JsonObject, operations: readonly Operation[]): Operation {
    const rawResponses = this.#object(raw.responses, 'responses') ?? {};
    const responses = Object.entries(operation.responses).map(
      ([status, response]): [string, DeclaredResponse] => {
        const { links } = this.#object(rawResponses[status], `the response ${status}`) ?? {};
        const read: Link[] = linksOf(this.#references, this.#object(links, 'links') ?? {}, operations);
        return [status, { ...response, links: read }];
      },
    );
    return { ...operation, responses: Object.fromEntries(responses) };
  }

  #object(value: Json | undefined, subject: string): JsonObject | undefined {
    return this.#references.object(value, subject);
  }
}
