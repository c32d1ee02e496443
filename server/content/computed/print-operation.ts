import { isObject } from '../../contract/json-values.ts';
/** Prints an operation as Markdown: its request and its responses. */
import { asList, asObject, asText, asTexts, type JsonObject } from './json.ts';
import type { Operation } from './operations.ts';
import { printSchema } from './print-schema.ts';
import { describe, type SchemaContext, typeOf } from './schema.ts';
import { resolveObject } from './specification.ts';
import { blocks, cellText, code, codeBlock, description, escapeText, table } from './text.ts';

/** Maximum length of an example that a computed page shows, in UTF-16 units. */
export const MAX_EXAMPLE_CHARACTERS = 8000;

/** Prints the section of an operation, under a second-level heading. */
export function printOperation(context: SchemaContext, operation: Operation): string {
  const { fields, item, method, path, webhook, title } = operation;
  const parameters = parametersOf(context.document, [
    ...asList(item.parameters),
    ...asList(fields.parameters),
  ]);
  return blocks(
    `## ${escapeText(title)}`,
    webhook ? `Webhook ${code(path)}, sent with ${code(method)}.` : code(`${method} ${path}`),
    fields.deprecated === true && '**Deprecated.**',
    description(fields.description) || description(item.description),
    printSecurity(context.document, fields.security),
    printParameters(context, parameters),
    printBody(context, fields, parameters),
    printResponses(context, fields),
  );
}

/** Returns parameters, unique by location and name: those of the operation override those of its path. */
function parametersOf(document: JsonObject, all: readonly unknown[]): JsonObject[] {
  const byName = new Map<string, JsonObject>();
  for (const value of all) {
    const parameter = resolveObject(document, value);
    byName.set(`${asText(parameter.in)} ${asText(parameter.name)}`, parameter);
  }
  return [...byName.values()];
}

/** Swagger 2 describes the body among the parameters. */
const isBody = ({ in: location }: JsonObject): boolean => location === 'body' || location === 'formData';

function printParameters(context: SchemaContext, parameters: readonly JsonObject[]): string {
  const rows = parameters
    .filter((parameter) => !isBody(parameter))
    .map((parameter) => {
      const schema = schemaOf(parameter);
      const fields = resolveObject(context.document, schema);
      const details = describe(context, {
        ...fields,
        description: parameter.description ?? fields.description,
        deprecated: parameter.deprecated ?? fields.deprecated,
      });
      const required = parameter.required === true ? ' (required)' : '';
      return [
        `${code(asText(parameter.name))}${required}`,
        escapeText(asText(parameter.in)),
        typeOf(context, schema),
        details,
      ];
    });
  return rows.length === 0
    ? ''
    : blocks('**Parameters**', table(['Name', 'In', 'Type', 'Description'], rows));
}

/** Returns the schema of a parameter: its own field, that of its media type, or in Swagger 2 the parameter itself. */
function schemaOf(parameter: JsonObject): unknown {
  if (parameter.schema !== undefined) {
    return parameter.schema;
  }
  const [media] = Object.values(asObject(parameter.content));
  return isObject(media) ? media.schema : parameter;
}

function printBody(context: SchemaContext, fields: JsonObject, parameters: readonly JsonObject[]): string {
  const body = resolveObject(context.document, fields.requestBody);
  if (isObject(fields.requestBody)) {
    return blocks(
      `**Request body**${body.required === true ? ' (required)' : ''}`,
      description(body.description),
      printContent(context, asObject(body.content)),
    );
  }
  const [whole] = parameters.filter((parameter) => parameter.in === 'body');
  const form = parameters.filter((parameter) => parameter.in === 'formData');
  if (!whole && form.length === 0) {
    return '';
  }
  const types = asTexts(fields.consumes ?? context.document.consumes);
  const formType = form.some(({ type }) => type === 'file')
    ? 'multipart/form-data'
    : 'application/x-www-form-urlencoded';
  const media = { schema: whole ? whole.schema : formSchema(form) };
  return blocks(
    `**Request body**${whole?.required === true ? ' (required)' : ''}`,
    whole && description(whole.description),
    printContent(context, { [types[0] ?? (whole ? 'application/json' : formType)]: media }),
  );
}

/** Converts the fields of a form to an object schema. */
function formSchema(parameters: readonly JsonObject[]): JsonObject {
  const named = parameters.map((parameter) => [asText(parameter.name), parameter] as const);
  return {
    type: 'object',
    properties: Object.fromEntries(named.map(([name, { required, ...schema }]) => [name, schema])),
    required: named.filter(([, { required }]) => required === true).map(([name]) => name),
  };
}

function printResponses(context: SchemaContext, fields: JsonObject): string {
  const responses = Object.entries(asObject(fields.responses)).filter(([status]) => !status.startsWith('x-'));
  if (responses.length === 0) {
    return '';
  }
  const responseContents = responses.map(([status, value]) => {
    const response = resolveObject(context.document, value);
    return { status, response, content: contentOf(context.document, fields, response) };
  });
  const rows = responseContents.map(({ status, response, content }) => {
    const [media] = Object.values(content);
    const schema = asObject(media).schema;
    const types = Object.keys(content).map(code).join(', ');
    return [
      code(status),
      cellText(response.description),
      schema === undefined ? types : `${typeOf(context, schema)} ${types && `as ${types}`}`,
    ];
  });
  const details = responseContents.map(({ status, content }) => {
    const printed = printContent(context, content, true);
    return printed === '' ? '' : blocks(`**Response ${escapeText(status)}**`, printed);
  });
  return blocks('**Responses**', table(['Status', 'Description', 'Body'], rows), ...details);
}

/**
 * Returns the bodies of a response by media type. In Swagger 2 all media types of the operation have the same schema.
 */
function contentOf(document: JsonObject, fields: JsonObject, response: JsonObject): JsonObject {
  if (response.schema === undefined) {
    return asObject(response.content);
  }
  const types = asTexts(fields.produces ?? document.produces);
  const examples = asObject(response.examples);
  return Object.fromEntries(
    (types.length > 0 ? types : ['application/json']).map((type) => [
      type,
      { schema: response.schema, ...(examples[type] !== undefined && { example: examples[type] }) },
    ]),
  );
}

/**
 * Prints bodies by media type. Media types with equal content are combined.
 *
 * @param isShort omits bodies without properties and examples, since their type is already in a table
 */
function printContent(context: SchemaContext, content: JsonObject, isShort = false): string {
  const types = new Map<string, string[]>();
  for (const [name, value] of Object.entries(content)) {
    const media = asObject(value);
    const { type, properties } = printSchema(context, media.schema ?? true);
    const example = printExample(context.document, media);
    if (isShort && properties === '' && example === '') {
      continue;
    }
    const details = blocks(properties, example);
    const key = JSON.stringify([type, details]);
    types.set(key, [...(types.get(key) ?? []), name]);
  }
  return blocks(
    ...[...types].map(([key, names]) => {
      // Written a few lines above.
      const [type, details] = JSON.parse(key) as [string, string];
      return blocks(`${names.map(code).join(', ')}: ${type}`, details);
    }),
  );
}

/** Prints the first example of a body. */
function printExample(document: JsonObject, media: JsonObject): string {
  const [first] = Object.values(asObject(media.examples));
  const named = resolveObject(document, first);
  const schema = resolveObject(document, media.schema);
  const example = media.example ?? named.value ?? schema.example ?? asList(schema.examples)[0];
  if (example === undefined) {
    return '';
  }
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  if (text === undefined || text.length > MAX_EXAMPLE_CHARACTERS) {
    return '';
  }
  return codeBlock(text.toWellFormed(), typeof example === 'string' ? '' : 'json');
}

/** Prints the authentication schemes of an operation: one alternative is sufficient, with all its schemes. */
export function printSecurity(document: JsonObject, security: unknown): string {
  const alternatives = asList(security ?? document.security).map((value) =>
    Object.keys(asObject(value)).map(code).join(' and '),
  );
  // An empty list of its own removes the default of all operations.
  if (alternatives.length === 0) {
    return asList(document.security).length > 0 ? 'Authentication: none.' : '';
  }
  return `Authentication: ${[...new Set(alternatives.map((names) => names || 'none'))].join(', or ')}.`;
}
