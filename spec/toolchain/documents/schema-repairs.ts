import { upgradeSchema } from '../contract/upgrade.ts';
import { isObject, type Json, type JsonObject } from '../document.ts';
import type { RepairContext } from './repair-context.ts';

const JSON_TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

/** Repairs a schema in place, without its nested schemas. */
export function repairSchema(schema: JsonObject, context: RepairContext): void {
  repairType(schema, context);
  repairLists(schema, context);
  repairConstants(schema, context);
  repairItems(schema, context);
  repairDiscriminator(schema, context);
  if (context.dialect === '3.1') {
    readAs30(schema, context);
  }
}

function repairType(schema: JsonObject, { dialect, warn }: RepairContext): void {
  const { type } = schema;
  if (type === undefined || (type === 'file' && dialect === '2.0')) {
    return;
  }
  if (type === 'file') {
    schema.type = 'string';
    schema.format = 'binary';
    warn('type', 'is that of a file in Swagger 2.0; it is read as a string with the format binary');
    return;
  }
  const declared = Array.isArray(type) ? type : [type];
  const known = declared.flatMap(
    (name) => JSON_TYPES.find((known) => known === String(name).toLowerCase()) ?? [],
  );
  const isComplete = known.length === declared.length && known.length > 0;
  if (isComplete && known.every((name, index) => name === declared[index])) {
    return;
  }
  if (isComplete) {
    schema.type = Array.isArray(type) ? known : (known[0] ?? null);
    return;
  }
  delete schema.type;
  warn(
    'type',
    `${JSON.stringify(type)} is not a type of JSON Schema (${JSON_TYPES.join(', ')}), so any is accepted`,
  );
}

function repairLists(schema: JsonObject, { warn }: RepairContext): void {
  const { required } = schema;
  if (typeof required === 'string') {
    schema.required = [required];
  } else if (required !== undefined && !Array.isArray(required)) {
    delete schema.required;
    // As in JSON Schema Draft 3.
    warn(
      'required',
      'ignored: it is a list of names. To require a property, list its name in the object that contains it',
    );
  } else if (Array.isArray(required) && required.some((name) => typeof name !== 'string' || name === '')) {
    // YAML reads names such as 1 and true as other values. Validators do not find an empty name missing.
    schema.required = required.filter(isScalar).map(String).filter(Boolean);
    if (!required.every(isScalar) || required.includes('')) {
      warn('required', 'contains other values than names, which are ignored');
    }
  }
  if (schema.enum !== undefined && (!Array.isArray(schema.enum) || schema.enum.length === 0)) {
    delete schema.enum;
    warn('enum', 'ignored, because it is not a list of values');
  }
  const isComposite = schema.type === 'object' || schema.type === 'array';
  if (isComposite && Array.isArray(schema.enum) && schema.enum.every((value) => typeof value !== 'object')) {
    warn('type', `contradicts the values of enum, which are no ${String(schema.type)}; it is ignored`);
    delete schema.type;
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const list = schema[keyword];
    if (list === null || (Array.isArray(list) && list.length === 0)) {
      delete schema[keyword];
      warn(keyword, 'ignored, because it is empty');
    }
  }
}

/** Values of an enum of another type than its schema states, and functions that return the values of this type. */
const conversions: Readonly<Record<string, (value: Json) => Json | undefined>> = {
  string: (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined),
  integer: numberOf,
  number: numberOf,
  boolean: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
};

function numberOf(value: Json): number | undefined {
  const isNumeric = typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
  return isNumeric ? Number(value) : undefined;
}

/** A value of an enum that has not the type of its schema is never accepted: its author means the same of this type. */
function repairConstants(schema: JsonObject, { warn }: RepairContext): void {
  const declared = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter(
    (type) => type !== 'null',
  );
  const [type] = declared;
  const convert =
    typeof type === 'string' && declared.length === 1 && Object.hasOwn(conversions, type)
      ? conversions[type]
      : undefined;
  if (convert === undefined || !Array.isArray(schema.enum)) {
    return;
  }
  const before = schema.enum;
  const values = before.map((value) => convert(value) ?? value);
  if (values.some((value, index) => value !== before[index])) {
    schema.enum = values;
    warn('enum', `contains values of another type than ${type}, which are read as such`);
  }
}

const isScalar = (value: Json): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** A list as `items` is a tuple of JSON Schema Draft 4. With a single schema, authors mean that of all items. */
function repairItems(schema: JsonObject, { warn }: RepairContext): void {
  const { items, additionalItems } = schema;
  if (!Array.isArray(items)) {
    return;
  }
  delete schema.items;
  delete schema.additionalItems;
  if (items.length === 1) {
    schema.items = items[0] as Json;
    warn('items', 'is a list of one schema, which is read as the schema of all items');
  } else if (items.length > 1) {
    schema.prefixItems = items;
    if (additionalItems !== undefined) {
      schema.items = additionalItems;
    }
    warn('items', 'is a list of schemas, which are read as those of the first items (prefixItems)');
  }
}

function repairDiscriminator(schema: JsonObject, { dialect, warn }: RepairContext): void {
  const { discriminator } = schema;
  if (discriminator === undefined || (dialect === '2.0' && typeof discriminator === 'string')) {
    return;
  }
  if (typeof discriminator === 'string') {
    schema.discriminator = { propertyName: discriminator };
    warn('discriminator', 'is text, as in Swagger 2.0; it is read as its propertyName');
  } else if (!isObject(discriminator) || typeof discriminator.propertyName !== 'string') {
    delete schema.discriminator;
    warn('discriminator', 'ignored, because it has no propertyName');
  } else if (discriminator.mapping !== undefined && !isObject(discriminator.mapping)) {
    delete discriminator.mapping;
    warn('discriminator', 'has a mapping that is not an object, which is ignored');
  }
}

/** Keywords of 3.0 in a document of 3.1 mean there what they mean in 3.0. */
function readAs30(schema: JsonObject, { warn }: RepairContext): void {
  const former = ['nullable', 'exclusiveMinimum', 'exclusiveMaximum'].filter(
    (keyword) => typeof schema[keyword] === 'boolean',
  );
  if (former.length === 0 || schema.$ref !== undefined) {
    return;
  }
  const upgraded = upgradeSchema(schema);
  for (const name of Object.keys(schema)) {
    delete schema[name];
  }
  Object.assign(schema, upgraded);
  warn(former[0], 'is a keyword of OpenAPI 3.0; it is read as in 3.0');
}
