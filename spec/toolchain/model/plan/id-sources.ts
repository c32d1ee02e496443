import { formatPointer } from '../../../../server/contract/json-values.ts';
import type { Schema } from '../schema/schema.ts';
import { joinedWords, namesId, namingOf, wordsOf } from './names.ts';
import type { Shapes } from './shapes.ts';
import type { Slot } from './slots.ts';

/** End of a source that is a URL with the identifier as its last path segment: `/_links/self/href#`. */
const ADDRESS_END = '#';

/** Returns the pointer to the URL that a source is; undefined for other sources. */
export const addressPointer = (source: string): string | undefined =>
  source.startsWith('/') && source.endsWith(ADDRESS_END) ? source.slice(0, -ADDRESS_END.length) : undefined;

/**
 * Returns possible sources of the id of an object, most likely first: JSON pointers, a pointer to its own URL, which ends
 * with `#`, and `header:location`.
 *
 * @param object schema of the object
 * @param isLocated whether the response has a `Location`
 */
export function idSources(object: Schema, slot: Slot, shapes: Shapes, isLocated = false): string[] {
  const { name: parameterName, schema } = slot.parameter;
  if (slot.alternative !== undefined) {
    return fieldsNamed([parameterName, slot.alternative], object, slot, shapes);
  }
  const naming = namingOf(parameterName);
  const component = shapes.component(schema);
  const sharing =
    component === undefined
      ? []
      : [...shapes.fields(object)]
          .filter(([, field]) => shapes.component(field) === component)
          .map(([field]) => field);
  const joined = joinedWords(slot.noun);
  const certain = [
    parameterName,
    // A named schema is more reliable than a field name, but only if exactly one field has it.
    ...(sharing.length === 1 ? sharing : []),
    ...(naming !== undefined ? [naming] : []),
    'id',
    ...['id', 'slug', 'name', 'number', 'key', 'uuid'].map((word) => joined + word),
    'uuid',
    '_id',
  ];
  const sources = [
    ...fieldsNamed(certain, object, slot, shapes),
    ...(isLocated ? ['header:location'] : []),
    ...addressesIn(object, shapes),
    // Often titles, which identify nothing.
    ...fieldsNamed(['slug', 'name', 'key'], object, slot, shapes),
    ...containedIds(object, slot, shapes),
  ];
  return [...new Set(sources)];
}

/** Returns possible locations of the id of an object as JSON pointers, most likely first. */
export const idPointers = (object: Schema, slot: Slot, shapes: Shapes): string[] =>
  idSources(object, slot, shapes).filter((source) => addressPointer(source) === undefined);

/** Returns the scalar fields with one of the names, in the order of the names. */
function fieldsNamed(names: readonly string[], object: Schema, slot: Slot, shapes: Shapes): string[] {
  const { name: parameterName, schema } = slot.parameter;
  const types = shapes.types(schema);
  const pointers: string[] = [];
  for (const name of names) {
    for (const [field, inner] of shapes.fields(object)) {
      if (joinedWords(field) !== joinedWords(name)) {
        continue;
      }
      const fieldTypes = shapes.types(inner);
      if (fieldTypes.some((type) => type === 'object' || type === 'array' || type === 'boolean')) {
        continue;
      }
      const numbers = (candidates: string[]) =>
        candidates.length > 0 && candidates.every((type) => type === 'integer' || type === 'number');
      // Some servers write the numbers that identify an entity as texts.
      const mayBeNumber = namesId(field) || joinedWords(field) === joinedWords(parameterName);
      if (numbers(types) && fieldTypes.length > 0 && !numbers(fieldTypes) && !mayBeNumber) {
        continue;
      }
      pointers.push(formatPointer([field]));
    }
  }
  return pointers;
}

/** Names of the fields with links, and of the link to the object itself (HAL, JSON:API, Siren and the like). */
const LINK_FIELDS = ['_links', 'links'];
const SELF_FIELDS = ['self', 'href', '@id', 'selfLink', 'uri', 'url'];

/** Returns the URL of an object itself. */
function addressesIn(object: Schema, shapes: Shapes): string[] {
  const within = (schema: Schema, names: readonly string[], at: string): [at: string, schema: Schema][] =>
    names.flatMap((name): [string, Schema][] => {
      const field = shapes.fields(schema).get(name);
      return field ? [[at + formatPointer([name]), field]] : [];
    });
  const selves = [
    ...within(object, LINK_FIELDS, '').flatMap(([at, links]) => within(links, ['self'], at)),
    ...within(object, SELF_FIELDS, ''),
  ];
  return selves.flatMap(([at, schema]) => {
    const targets: [string, Schema][] = [[at, schema], ...within(schema, ['href'], at)];
    return targets
      .filter(([, target]) => shapes.types(target).includes('string'))
      .map(([pointer]) => pointer + ADDRESS_END);
  });
}

/** Returns the ids of fields that contain the entity: a membership with its user. */
const containedIds = (object: Schema, slot: Slot, shapes: Shapes): string[] =>
  [...shapes.fields(object)]
    .filter(([field, inner]) => wordsOf(field).join(' ') === slot.noun && shapes.fields(inner).has('id'))
    .map(([field]) => `${formatPointer([field])}/id`);
