import { isObject, type Json, type JsonObject } from '../document.ts';
import type { SwaggerSchemas } from './swagger-schemas.ts';

/** Receives a warning about what OpenAPI 3 cannot express. */
export type Warn = (message: string) => void;

/** Members of a parameter or header that are not part of its schema. */
const PARAMETER_MEMBERS = new Set([
  ...['name', 'in', 'description', 'required', 'allowEmptyValue', 'collectionFormat', 'x-example'],
]);
const FORMS = ['multipart/form-data', 'application/x-www-form-urlencoded'];

/** Converts the parameters of a Swagger 2.0 document, and the bodies that they describe, to OpenAPI 3.0. */
export class SwaggerParameters {
  readonly #schemas: SwaggerSchemas;
  readonly #warn: Warn;

  constructor(schemas: SwaggerSchemas, warn: Warn) {
    this.#schemas = schemas;
    this.#warn = warn;
  }

  /** Converts a parameter in the path, the query or a header. */
  parameter(parameter: JsonObject): JsonObject {
    const { name = null, in: place = null, description, required, allowEmptyValue } = parameter;
    return {
      name,
      in: place,
      ...(description !== undefined && { description }),
      ...(required === true && { required }),
      ...(allowEmptyValue === true && place === 'query' && { allowEmptyValue }),
      ...this.#described(parameter, String(place)),
      ...extensions(parameter),
    };
  }

  /** Converts the header of a response. */
  header(header: JsonObject): JsonObject {
    const { description } = header;
    return {
      ...(description !== undefined && { description }),
      ...this.#described({ ...header, name: 'header' }, 'header'),
      ...extensions(header),
    };
  }

  /** Schema and style of a parameter. */
  #described(parameter: JsonObject, place: string): JsonObject {
    const { collectionFormat = 'csv', 'x-example': example } = parameter;
    const schema = this.#schemaOf(parameter);
    const examples = example === undefined ? {} : { example };
    if (parameter.type !== 'array') {
      return { schema, ...examples };
    }
    const styles: Record<string, JsonObject> =
      place === 'query'
        ? {
            csv: { style: 'form', explode: false },
            multi: { style: 'form', explode: true },
            ssv: { style: 'spaceDelimited', explode: false },
            pipes: { style: 'pipeDelimited', explode: false },
          }
        : { csv: {} };
    const format = String(collectionFormat);
    const style = Object.hasOwn(styles, format) ? styles[format] : undefined;
    if (style === undefined) {
      this.#warn(
        `The ${place} parameter ${JSON.stringify(parameter.name)} has the collectionFormat ${format}, which OpenAPI 3 cannot express there. It is read as one text.`,
      );
      return { schema: { type: 'string' }, ...examples };
    }
    return { ...style, schema, ...examples };
  }

  #schemaOf(parameter: JsonObject): Json {
    // As in OpenAPI 3; Swagger 2.0 has it only for bodies.
    if (isObject(parameter.schema)) {
      return this.#schemas.convert(parameter.schema);
    }
    const keywords = Object.entries(parameter).filter(
      ([name]) => !PARAMETER_MEMBERS.has(name) && (!name.startsWith('x-') || name === 'x-nullable'),
    );
    return this.#schemas.convert(Object.fromEntries(keywords));
  }

  /** Converts a body. */
  body(parameter: JsonObject, mediaTypes: readonly string[]): JsonObject {
    const { description, required, schema = {}, 'x-example': example } = parameter;
    const content = { schema: this.#schemas.convert(schema), ...(example !== undefined && { example }) };
    return {
      ...(description !== undefined && { description }),
      ...(required === true && { required }),
      content: Object.fromEntries(orJson(mediaTypes).map((type) => [type, content])),
      ...extensions(parameter),
    };
  }

  /** Converts the fields of a form to a body. */
  form(fields: readonly JsonObject[], mediaTypes: readonly string[]): JsonObject {
    const hasFile = fields.some(({ type }) => type === 'file');
    const declared = mediaTypes.filter((type) => FORMS.includes(type) && (!hasFile || type === FORMS[0]));
    const types = declared.length > 0 ? declared : [hasFile ? FORMS[0] : FORMS[1]];
    const required = fields.filter((field) => field.required === true).map(({ name }) => String(name));
    const schema: JsonObject = {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [String(field.name), this.#fieldOf(field)])),
      ...(required.length > 0 && { required }),
    };
    return {
      ...(required.length > 0 && { required: true }),
      content: Object.fromEntries(
        types.map((type) => [type ?? '', { schema, ...(type === FORMS[1] && this.#encodingOf(fields)) }]),
      ),
    };
  }

  #fieldOf(field: JsonObject): Json {
    const { description } = field;
    const schema = this.#schemaOf(field);
    return isObject(schema) && description !== undefined ? { ...schema, description } : schema;
  }

  /** In OpenAPI 3, lists in forms are repeated fields; in Swagger 2.0, only those with the format `multi`. */
  #encodingOf(fields: readonly JsonObject[]): JsonObject {
    const styles: Record<string, string> = { csv: 'form', ssv: 'spaceDelimited', pipes: 'pipeDelimited' };
    const encoding: JsonObject = {};
    for (const { name, type, collectionFormat = 'csv' } of fields) {
      const format = String(collectionFormat);
      if (type === 'array' && Object.hasOwn(styles, format)) {
        encoding[String(name)] = { style: styles[format] ?? 'form', explode: false };
      } else if (type === 'array' && format !== 'multi') {
        this.#warn(
          `The form field ${JSON.stringify(name)} has the collectionFormat ${format}, which OpenAPI 3 cannot express. It is read as a repeated field.`,
        );
      }
    }
    return Object.keys(encoding).length === 0 ? {} : { encoding };
  }
}

/** Returns the media types, or JSON if there are none. */
export function orJson(mediaTypes: readonly string[]): readonly string[] {
  return mediaTypes.length > 0 ? mediaTypes : ['application/json'];
}

/** Members that belong to no specification. */
export function extensions(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(
      ([name]) => name.startsWith('x-') && !['x-example', 'x-nullable'].includes(name),
    ),
  );
}
