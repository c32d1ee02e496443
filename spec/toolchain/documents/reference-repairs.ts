import { escapeToken } from '../../../server/contract/json-values.ts';
import { isObject, type Json, type JsonObject } from '../document.ts';
import type { Dialect, Kind } from './grammar.ts';
import { replaceMembers } from './repairs.ts';

/** Target of a reference that is of another kind than required. */
interface OtherTarget {
  actual: Kind;
  target: Json;
  dialect: Dialect;
}

/** Kinds that consist of a schema and its media types, or refer to one. */
const KINDS_WITH_SCHEMA: readonly Kind[] = ['response', 'requestBody', 'parameter', 'header'];

/**
 * Replaces a reference to another kind of component in place, if authors can only mean one thing: a schema instead of
 * what has it, or the reverse.
 *
 * @returns whether the reference was replaced
 */
export function replaceReference(
  kind: Kind,
  holder: JsonObject,
  { actual, target, dialect }: OtherTarget,
): boolean {
  const reference = holder.$ref;
  if (typeof reference !== 'string') {
    return false;
  }
  if (kind === 'schema' && KINDS_WITH_SCHEMA.includes(actual)) {
    const pointer = schemaPointer(target);
    replaceMembers(holder, pointer === undefined ? {} : { $ref: `${reference}${pointer}` });
    return true;
  }
  const isBody = kind === 'response' || kind === 'requestBody';
  if (isBody && (actual === 'response' || actual === 'requestBody') && dialect !== '2.0') {
    const content = isObject(target) && isObject(target.content) ? target.content : {};
    replaceMembers(holder, { ...(kind === 'response' && { description: '' }), content });
    return true;
  }
  if (actual !== 'schema' || !(isBody || kind === 'header')) {
    return false;
  }
  const schema = { $ref: reference };
  if (kind === 'header') {
    replaceMembers(holder, dialect === '2.0' ? schema : { schema });
  } else {
    const body = dialect === '2.0' ? { schema } : { content: { 'application/json': { schema } } };
    replaceMembers(holder, { ...(kind === 'response' && { description: '' }), ...body });
  }
  return true;
}

/** Returns the rest of the pointer of the only schema in a component; undefined if it has none, or several. */
function schemaPointer(component: Json): string | undefined {
  if (!isObject(component)) {
    return undefined;
  }
  if (component.schema !== undefined) {
    return '/schema';
  }
  const content = isObject(component.content) ? component.content : {};
  const [type, ...others] = Object.keys(content);
  const media = type === undefined ? undefined : content[type];
  return type === undefined || others.length > 0 || !isObject(media) || media.schema === undefined
    ? undefined
    : `/content/${escapeToken(type)}/schema`;
}

/** Describes what the reference is read as, if a component of another kind was referred to. */
export const repairedAs = (kind: Kind): string =>
  kind === 'schema'
    ? 'its schema is read, or any value if it has not exactly one'
    : 'what it contains is read as such, a schema in JSON';
