import { isObject, type JsonObject } from '../../document.ts';
import { defaultMessage, isSameDefault } from '../defaults.ts';
import type { Schema } from '../form/form.ts';
import type { FormReader } from '../form/form-reader.ts';
import type { OperationContext } from './operation-context.ts';
import type { ListedOperation } from './operation-list.ts';
import { EXPLODED, PLAIN, type Serialization, serializationOf } from './serialization.ts';

/** Parameter with its identity and its location in reports. */
interface KeyedParameter {
  parameter: JsonObject;
  /** Identity in requests: a path parameter is identified by its position in the path. */
  key: string;
  location: string;
}

/** Header parameters that OpenAPI ignores, because other parts of the document define them (Parameter Object). */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization']);

/** Compares the parameters of one operation. */
export function diffParameters(
  context: OperationContext,
  base: ListedOperation,
  head: ListedOperation,
): void {
  const { report, direction } = context;
  const [before, after] = [parametersByKey(base), parametersByKey(head)];
  const added = new Map([...after].filter(([key]) => !before.has(key)));
  for (const [key, { parameter, location }] of before) {
    const other = after.get(key);
    if (other) {
      diffParameter(context, parameter, other.parameter, location);
      continue;
    }
    const moved = [...added].find(([, { parameter: other }]) => other.name === parameter.name);
    if (moved) {
      added.delete(moved[0]);
      report(
        'parameter-moved',
        location,
        `It moved from the ${parameter.in} to the ${moved[1].parameter.in}.`,
      );
      diffParameter(context, parameter, moved[1].parameter, location);
    } else {
      const isReceived = direction('request') === 'response';
      const rule =
        isReceived && parameter.required !== true
          ? 'webhook-parameter-optional-removed'
          : 'parameter-removed';
      report(rule, location, 'It was removed.');
    }
  }
  for (const { parameter, location } of added.values()) {
    if (parameter.required === true) {
      report('parameter-required-added', location, 'It was added, and is required.');
    } else {
      report('parameter-added', location, 'It was added, and is optional.');
    }
  }
}

function parametersByKey({ parameters, pathNames }: ListedOperation): Map<string, KeyedParameter> {
  const keyed = new Map<string, KeyedParameter>();
  for (const parameter of parameters) {
    const [location, name] = [String(parameter.in), String(parameter.name)];
    const wire =
      location === 'header'
        ? name.toLowerCase()
        : location === 'path'
          ? String(pathNames.indexOf(name))
          : name;
    if (location === 'header' && IGNORED_HEADERS.has(wire)) {
      continue;
    }
    // A name that is missing in the path identifies itself.
    const key = `${location} ${wire === '-1' ? name : wire}`;
    keyed.set(key, { parameter, key, location: `${location} parameter ${name}` });
  }
  return keyed;
}

function diffParameter(
  context: OperationContext,
  base: JsonObject,
  head: JsonObject,
  location: string,
): void {
  const { report, limit, schemas, direction } = context;
  const [wasRequired, isRequired] = [base, head].map(
    ({ required, in: location }) => required === true || location === 'path',
  );
  if (!wasRequired && isRequired) {
    report('parameter-became-required', location, 'It became required.');
  }
  if (wasRequired && !isRequired) {
    report('parameter-became-optional', location, 'It became optional.');
  }
  if (base.deprecated !== true && head.deprecated === true) {
    report('parameter-deprecated', location, 'It is deprecated.');
  }
  const [before, after] = [serializationOf(base, context.base), serializationOf(head, context.head)];
  if (before.serialization !== after.serialization && before.isComplex === after.isComplex) {
    report(
      'parameter-style-changed',
      location,
      `The serialization changed from ${before.serialization} to ${after.serialization}.`,
    );
  }
  const [wasReserved, isReserved] = [base, head].map(permitsReserved);
  if (wasReserved && !isReserved) {
    report('parameter-reserved-removed', location, 'Reserved characters must be encoded now.');
  }
  if (!wasReserved && isReserved) {
    report('parameter-reserved-added', location, 'Reserved characters may be sent without encoding now.');
  }
  if (base.allowEmptyValue === true && head.allowEmptyValue !== true) {
    report(`${direction('request')}-limit-narrowed`, location, 'It may no longer be empty.');
  }
  if (direction('request') === 'response' && base.allowEmptyValue !== true && head.allowEmptyValue === true) {
    report('response-limit-widened', location, 'It may be empty now.');
  }
  const place = { direction: direction('request'), text: !before.isMedia, location, report, limit };
  const items = itemsOfList(before, after, context.head);
  if (items === undefined) {
    schemas(before.schema, after.schema, place);
  } else {
    report(`${direction('request')}-type-widened`, location, 'It accepts a list of values now.');
    // The default of the value is compared with that of the list.
    const [one, list] = [context.base.form(before.schema), context.head.form(after.schema)];
    const isSame = one.default !== undefined && isSameDefault([one.default], list.default);
    if (!isSame && !isSameDefault(one.default, list.default)) {
      const message = defaultMessage(one.default, list.default);
      report(`${place.direction}-default-changed`, location, message);
    }
    schemas(withoutDefault(before.schema), items, place);
  }
  if (base.description !== head.description) {
    report('docs-changed', location, 'Its description changed.');
  }
}

function withoutDefault(schema: Schema): Schema {
  if (!isObject(schema)) {
    return schema;
  }
  const { default: _, ...rest } = schema;
  return rest;
}

/**
 * Returns the schema of the values if a parameter with one value became a list of them: in an exploded list, one value
 * is serialized as before.
 */
function itemsOfList(before: Serialization, after: Serialization, reader: FormReader): Schema | undefined {
  const { parts } = reader.form(after.schema);
  const [list] = parts;
  const isList = before.serialization === PLAIN && parts.length === 1 && list?.kind === 'array';
  return isList && after.serialization === EXPLODED ? list.items : undefined;
}

/** Whether the reserved characters of a query parameter may be sent as they are. In a path, they are its notation. */
const permitsReserved = ({ in: location, allowReserved, content }: JsonObject): boolean =>
  location === 'query' && allowReserved === true && content === undefined;
