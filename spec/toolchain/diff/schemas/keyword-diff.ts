import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json } from '../../document.ts';
import { SCHEMA_LISTS, SCHEMA_MAPS, SCHEMA_VALUES } from '../sameness.ts';
import type { SchemaContext } from './schema-context.ts';

/**
 * Whether a keyword that no rule interprets has the same meaning in two schemas. Its schemas are compared like others,
 * with the targets of their references; other values are compared literally.
 * @param base value of the keyword; a list if the schema is merged from several that have it
 */
export function isSameKeyword(
  context: SchemaContext,
  keyword: string,
  base: Json | undefined,
  head: Json | undefined,
): boolean {
  if (base === undefined || head === undefined) {
    return base === head;
  }
  if (Array.isArray(base) && Array.isArray(head)) {
    return (
      base.length === head.length &&
      base.every((value, index) => isSameKeyword(context, keyword, value, head[index]))
    );
  }
  if (SCHEMA_MAPS.has(keyword) && isObject(base) && isObject(head)) {
    const names = Object.keys(base);
    return (
      names.length === Object.keys(head).length &&
      names.every((name) => {
        const [one, other] = [base[name], Object.hasOwn(head, name) ? head[name] : undefined];
        return one !== undefined && other !== undefined && isSameSchema(context, one, other);
      })
    );
  }
  return SCHEMA_VALUES.has(keyword) || SCHEMA_LISTS.has(keyword)
    ? isSameSchema(context, base, head)
    : isDeepStrictEqual(base, head);
}

/** Whether a comparison of two schemas reports no change in either direction. */
function isSameSchema(context: SchemaContext, base: Json, head: Json): boolean {
  const directions = ['request', 'response'] as const;
  return directions.every((direction) =>
    context.everyRule(
      direction,
      ({ compare }) => compare(base, head, ''),
      () => false,
    ),
  );
}
