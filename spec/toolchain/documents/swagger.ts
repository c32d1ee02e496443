import { isObject, type Json, type JsonObject, METHODS } from '../document.ts';
import { extensions, orJson, SwaggerParameters, type Warn } from './swagger-parameters.ts';
import { SwaggerSchemas } from './swagger-schemas.ts';

/**
 * Converts a Swagger 2.0 document to OpenAPI 3.0, with the names of its definitions, parameters and responses.
 * @param root document with a valid structure; unchanged
 */
export function convertSwagger(root: JsonObject, warn: Warn): JsonObject {
  return new Converter(root, warn).document();
}

/** Media types that apply to an operation. */
interface MediaTypes {
  consumes: readonly string[];
  produces: readonly string[];
}

class Converter {
  readonly #root: JsonObject;
  readonly #warn: Warn;
  readonly #schemas: SwaggerSchemas;
  readonly #parameters: SwaggerParameters;
  readonly #global: MediaTypes;

  constructor(root: JsonObject, warn: Warn) {
    this.#root = root;
    this.#warn = warn;
    this.#schemas = new SwaggerSchemas(root);
    this.#parameters = new SwaggerParameters(this.#schemas, warn);
    this.#global = { consumes: textsOf(root.consumes), produces: textsOf(root.produces) };
  }

  document(): JsonObject {
    const { info = {}, tags, externalDocs, security, paths } = this.#root;
    this.#schemas.convertDefinitions();
    const convertedPaths = mapMembers(paths, (item, path) =>
      path.startsWith('x-') ? item : this.#pathItem(item),
    );
    const components: JsonObject = {
      schemas: this.#schemas.schemas,
      parameters: mapMembers(this.#sharedParameters(isHeaderOrUrl), (parameter) =>
        this.#parameter(parameter),
      ),
      requestBodies: mapMembers(this.#sharedParameters(isBody), (parameter) =>
        this.#parameters.body(asObject(parameter), this.#global.consumes),
      ),
      responses: mapMembers(this.#root.responses, (response) => this.#response(response, this.#global)),
      securitySchemes: mapMembers(this.#root.securityDefinitions, securityScheme),
    };
    return {
      openapi: '3.0.3',
      info,
      ...serversOf(this.#root),
      ...(tags !== undefined && { tags }),
      ...(externalDocs !== undefined && { externalDocs }),
      ...(security !== undefined && { security }),
      paths: convertedPaths,
      components: Object.fromEntries(
        Object.entries(components).filter(
          ([, members]) => isObject(members) && Object.keys(members).length > 0,
        ),
      ),
      ...extensions(this.#root),
    };
  }

  #sharedParameters(belongs: (parameter: JsonObject) => boolean): JsonObject {
    return Object.fromEntries(
      Object.entries(asObject(this.#root.parameters)).filter(([, parameter]) =>
        belongs(asObject(this.#schemas.resolve(parameter))),
      ),
    );
  }

  #pathItem(value: Json): Json {
    const item = asObject(this.#schemas.resolve(value));
    const shared = listOf(item.parameters);
    const converted: JsonObject = extensions(item);
    const parameters = shared.filter((parameter) =>
      isHeaderOrUrl(asObject(this.#schemas.resolve(parameter))),
    );
    if (parameters.length > 0) {
      converted.parameters = parameters.map((parameter) => this.#parameter(parameter));
    }
    for (const method of METHODS) {
      const operation = item[method];
      if (isObject(operation)) {
        converted[method] = this.#operation(operation, shared);
      }
    }
    return converted;
  }

  #operation(operation: JsonObject, shared: readonly Json[]): JsonObject {
    const { consumes, produces, schemes: _, parameters, responses, ...rest } = operation;
    const mediaTypes: MediaTypes = {
      consumes: consumes === undefined ? this.#global.consumes : textsOf(consumes),
      produces: produces === undefined ? this.#global.produces : textsOf(produces),
    };
    const own = listOf(parameters);
    const described = own.filter((parameter) => isHeaderOrUrl(asObject(this.#schemas.resolve(parameter))));
    const requestBody = this.#requestBody([...shared, ...own], mediaTypes);
    return {
      ...rest,
      ...(described.length > 0 && { parameters: described.map((parameter) => this.#parameter(parameter)) }),
      ...(requestBody && { requestBody }),
      ...(responses !== undefined && {
        responses: mapMembers(responses, (response, status) =>
          status.startsWith('x-') ? response : this.#response(response, mediaTypes),
        ),
      }),
    };
  }

  #parameter(parameter: Json): Json {
    const { $ref } = asObject(parameter);
    if (typeof $ref === 'string' && /^#\/parameters\/[^/]+$/.test($ref)) {
      return { $ref: $ref.replace('#/', '#/components/') };
    }
    return this.#parameters.parameter(asObject(this.#schemas.resolve(parameter)));
  }

  /** @param parameters those of the path, then those of the operation, which replace the former */
  #requestBody(parameters: readonly Json[], { consumes }: MediaTypes): Json | undefined {
    const resolved = parameters.map((parameter) => ({
      parameter,
      target: asObject(this.#schemas.resolve(parameter)),
    }));
    const body = resolved.findLast(({ target }) => isBody(target));
    const fields = new Map(
      resolved.filter(({ target }) => target.in === 'formData').map(({ target }) => [target.name, target]),
    );
    if (body === undefined) {
      return fields.size === 0 ? undefined : this.#parameters.form([...fields.values()], consumes);
    }
    if (fields.size > 0) {
      this.#warn(
        `The body ${JSON.stringify(body.target.name)} is declared together with form fields, which are ignored.`,
      );
    }
    const { $ref } = asObject(body.parameter);
    // A shared body has the media types of the document.
    return typeof $ref === 'string' &&
      /^#\/parameters\/[^/]+$/.test($ref) &&
      isSame(consumes, this.#global.consumes)
      ? { $ref: $ref.replace('#/parameters/', '#/components/requestBodies/') }
      : this.#parameters.body(body.target, consumes);
  }

  #response(value: Json, { produces }: MediaTypes): Json {
    const { $ref } = asObject(value);
    const response = asObject(this.#schemas.resolve(value));
    const isShared = typeof $ref === 'string' && /^#\/responses\/[^/]+$/.test($ref);
    // A shared response has the media types of the document.
    if (isShared && (response.schema === undefined || isSame(produces, this.#global.produces))) {
      return { $ref: String($ref).replace('#/', '#/components/') };
    }
    const { description = '', schema, headers, examples } = response;
    const content = this.#content(schema, asObject(examples), produces);
    return {
      description,
      ...(headers !== undefined && {
        headers: mapMembers(headers, (header) => this.#parameters.header(asObject(header))),
      }),
      ...(content && { content }),
      ...extensions(response),
    };
  }

  #content(schema: Json | undefined, examples: JsonObject, produces: readonly string[]): Json | undefined {
    if (schema === undefined) {
      return undefined;
    }
    const isFile = asObject(this.#schemas.resolve(schema)).type === 'file';
    const converted = this.#schemas.convert(schema);
    const types = produces.length === 0 && isFile ? ['application/octet-stream'] : orJson(produces);
    return Object.fromEntries(
      types.map((type) => [
        type,
        { schema: converted, ...(examples[type] !== undefined && { example: examples[type] }) },
      ]),
    );
  }
}

function isBody(parameter: JsonObject): boolean {
  return parameter.in === 'body';
}

function isHeaderOrUrl(parameter: JsonObject): boolean {
  return parameter.in !== 'body' && parameter.in !== 'formData';
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.join() === other.join();
}

/** Without a scheme, that of the document's own address applies, which is not known here. */
function serversOf({ host, basePath, schemes }: JsonObject): JsonObject {
  const trimmed = typeof basePath === 'string' ? basePath.replace(/^\/?/, '/').replace(/\/$/, '') : '';
  if (typeof host !== 'string' || host === '') {
    return trimmed === '' ? {} : { servers: [{ url: trimmed }] };
  }
  const declared = textsOf(schemes).filter((scheme) => /^https?$/.test(scheme));
  const names = [...`${host}${trimmed}`.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  const variables = Object.fromEntries(names.map((name) => [name, { default: name }]));
  return {
    servers: (declared.length > 0 ? declared : ['https']).map((scheme) => ({
      url: `${scheme}://${host}${trimmed}`,
      ...(names.length > 0 && { variables }),
    })),
  };
}

const OAUTH_FLOWS: Record<string, string> = {
  implicit: 'implicit',
  password: 'password',
  application: 'clientCredentials',
  accessCode: 'authorizationCode',
};

function securityScheme(value: Json): Json {
  const { type, flow, authorizationUrl, tokenUrl, scopes = {}, ...rest } = asObject(value);
  if (type === 'basic') {
    return { type: 'http', scheme: 'basic', ...rest };
  }
  if (type !== 'oauth2') {
    return { type: type ?? null, ...rest };
  }
  const name = Object.hasOwn(OAUTH_FLOWS, String(flow)) ? OAUTH_FLOWS[String(flow)] : undefined;
  const urls = {
    ...(authorizationUrl !== undefined && { authorizationUrl }),
    ...(tokenUrl !== undefined && { tokenUrl }),
  };
  return { type, ...rest, flows: name === undefined ? {} : { [name]: { ...urls, scopes } } };
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: Json | undefined): string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

function mapMembers(value: Json | undefined, change: (member: Json, name: string) => Json): JsonObject {
  return Object.fromEntries(
    Object.entries(asObject(value)).map(([name, member]) => [name, change(member, name)]),
  );
}
