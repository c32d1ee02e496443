import { isObject, type Json, type JsonObject } from '../document.ts';
import type { Kind } from './grammar.ts';
import type { RepairContext } from './repair-context.ts';
import { repairSchema } from './schema-repairs.ts';

type Repair = (object: JsonObject, context: RepairContext) => void;

const repairs: Partial<Record<Kind, Repair>> = {
  document: repairDocument,
  operation: repairOperation,
  pathItem: (item, context) => removeRepeatedParameters(item, context),
  parameter: repairParameter,
  response: (response) => {
    response.description ??= '';
  },
  securityScheme: repairSecurityScheme,
  schema: repairSchema,
  header: (header, context) => {
    if (context.dialect === '2.0') {
      repairSchema(header, context);
    } else {
      moveIntoSchema(header, context);
    }
  },
};

/** Repairs an object in place before its members are validated. Members may have any form. */
export function repairObject(kind: Kind, object: JsonObject, context: RepairContext): void {
  repairs[kind]?.(object, context);
}

function repairDocument(document: JsonObject, { warn }: RepairContext): void {
  document.info ??= {};
  if (isObject(document.info)) {
    const { title, version } = document.info;
    if (typeof title !== 'string' || title === '') {
      document.info.title = title === undefined || typeof title === 'object' ? 'API' : String(title || 'API');
    }
    if (version === undefined || version === null || String(version).trim() === '') {
      document.info.version = '0.0.0';
      warn('info', 'has no version, so it is 0.0.0');
    }
  }
  document.paths ??= {};
  if (!isObject(document.paths)) {
    return;
  }
  const { paths } = document;
  for (const path of Object.keys(paths).filter((name) => !/^(\/|x-|\$ref$)/.test(name))) {
    if (!Object.hasOwn(paths, `/${path}`)) {
      paths[`/${path}`] = paths[path] as Json;
      delete paths[path];
      warn('paths', `contains ${path}, which is read as /${path}`);
    }
  }
}

function repairOperation(operation: JsonObject, context: RepairContext): void {
  if (operation.operationId === '' || typeof operation.operationId === 'object') {
    delete operation.operationId;
  }
  removeRepeatedParameters(operation, context);
  if (context.dialect !== '2.0') {
    moveBody(operation, context);
  }
  if (Array.isArray(operation.security)) {
    for (const requirement of operation.security.filter(isObject)) {
      for (const scheme of Object.keys(requirement).filter((name) => requirement[name] === null)) {
        requirement[scheme] = [];
      }
    }
  }
  if (isObject(operation.responses)) {
    repairStatuses(operation.responses, context);
  }
}

function repairStatuses(responses: JsonObject, { warn }: RepairContext): void {
  for (const status of Object.keys(responses)) {
    if (/^([1-5](\d\d|XX)|default|x-.*|\$ref)$/.test(status)) {
      continue;
    }
    const canonical = /^[1-5]xx$/i.test(status) ? status.toUpperCase() : status.trim().toLowerCase();
    if (/^([1-5](\d\d|XX)|default)$/.test(canonical) && !Object.hasOwn(responses, canonical)) {
      responses[canonical] = responses[status] as Json;
    } else {
      warn('responses', `contains ${JSON.stringify(status)}, which is not a status and is ignored`);
    }
    delete responses[status];
  }
}

/** The last of several parameters with one name and place is used. */
function removeRepeatedParameters(holder: JsonObject, { warn, target }: RepairContext): void {
  if (!Array.isArray(holder.parameters)) {
    return;
  }
  const last = new Map<string, number>();
  const keys = holder.parameters.map((item, index) => {
    const parameter = target(item);
    const isNamed = isObject(parameter) && typeof parameter.name === 'string';
    const key = isNamed ? JSON.stringify([parameter.in, parameter.name]) : String(index);
    last.set(key, index);
    return key;
  });
  if (last.size < keys.length) {
    const repeated = keys.find((key, index) => last.get(key) !== index) ?? '';
    warn('parameters', `contains the parameter ${repeated} several times; the last one is used`);
    holder.parameters = holder.parameters.filter((_item, index) => last.get(keys[index] ?? '') === index);
  }
}

/** `in: body` is how Swagger 2.0 declares a body. */
function moveBody(operation: JsonObject, { warn, target }: RepairContext): void {
  const { parameters } = operation;
  if (!Array.isArray(parameters)) {
    return;
  }
  const bodies = parameters.map(target).filter((parameter) => isObject(parameter) && parameter.in === 'body');
  const [body] = bodies;
  if (!isObject(body)) {
    return;
  }
  operation.parameters = parameters.filter((parameter) => !bodies.includes(target(parameter)));
  operation.requestBody ??= {
    ...(body.required === true && { required: true }),
    content: { 'application/json': { schema: body.schema ?? {} } },
  };
  warn('parameters', 'contains a body, as in Swagger 2.0; it is read as the requestBody in JSON');
}

const PARAMETER_PLACES = ['query', 'header', 'path', 'cookie'];
const SWAGGER_PARAMETER_PLACES = ['query', 'header', 'path', 'formData', 'body'];

function repairParameter(parameter: JsonObject, context: RepairContext): void {
  const { dialect, fail } = context;
  if (parameter.$ref !== undefined) {
    return;
  }
  const known = dialect === '2.0' ? SWAGGER_PARAMETER_PLACES : PARAMETER_PLACES;
  const place = known.find((name) => name.toLowerCase() === String(parameter.in).toLowerCase());
  if (place === undefined) {
    // A body in OpenAPI 3 is moved where the parameter is used.
    if (parameter.in !== 'body') {
      fail('in', `must be one of ${known.join(', ')}`);
    }
    return;
  }
  parameter.in = place;
  if (!['string', 'number', 'boolean'].includes(typeof parameter.name)) {
    fail('name', 'must be the name of the parameter');
  }
  if (place === 'path') {
    parameter.required = true;
  }
  if (dialect !== '2.0') {
    moveIntoSchema(parameter, context);
  } else if (place !== 'body') {
    const { required, ...schema } = parameter;
    repairSchema(schema, context);
    replaceMembers(parameter, { ...schema, ...(required !== undefined && { required }) });
  }
}

const SCHEMA_KEYWORDS = ['type', 'format', 'enum', 'items', 'default', 'pattern', 'minimum', 'maximum'];

/** Members of a schema next to the members of a parameter are how Swagger 2.0 declares it. */
function moveIntoSchema(object: JsonObject, { warn }: RepairContext): void {
  if (object.schema !== undefined || object.content !== undefined || object.type === undefined) {
    return;
  }
  const keywords = Object.entries(object).filter(([name]) => SCHEMA_KEYWORDS.includes(name));
  for (const [name] of keywords) {
    delete object[name];
  }
  object.schema = Object.fromEntries(keywords);
  warn(undefined, 'has the keywords of its schema, as in Swagger 2.0; they are read as its schema');
}

function repairSecurityScheme(scheme: JsonObject, { dialect, warn, fail }: RepairContext): void {
  if (scheme.$ref !== undefined) {
    return;
  }
  if (typeof scheme.type !== 'string') {
    fail('type', 'must be the type of the security scheme');
  } else if (scheme.type === 'basic' && dialect !== '2.0') {
    scheme.type = 'http';
    scheme.scheme = 'basic';
    warn('type', 'is that of Swagger 2.0; it is read as http with the scheme basic');
  }
}

/** Replaces all members of an object. */
export function replaceMembers(object: JsonObject, members: JsonObject): void {
  for (const name of Object.keys(object)) {
    delete object[name];
  }
  Object.assign(object, members);
}
