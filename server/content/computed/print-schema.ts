import { asList, asObject } from './json.ts';
import { MAX_ALTERNATIVES, propertiesOf, type SchemaContext, typeOf } from './schema.ts';
import { resolveObject } from './specification.ts';
import { blocks, code, table } from './text.ts';

/** Prints the table of the properties of a schema; '' if there are none. */
function printProperties(context: SchemaContext, schema: unknown): string {
  const { rows, more } = propertiesOf(context, innermost(context, schema));
  if (rows.length === 0) {
    return '';
  }
  const cells = rows.map(({ name, type, required, description }) => [
    `${code(name)}${required ? ' (required)' : ''}`,
    type,
    description,
  ]);
  return blocks(
    table(['Property', 'Type', 'Description'], cells),
    more && 'More properties are not shown. The specification contains all of them.',
  );
}

/**
 * Prints the type of a schema, and its properties unless they are shown elsewhere. Alternatives without a name that
 * have properties are printed one by one.
 */
export function printSchema(context: SchemaContext, schema: unknown): { type: string; properties: string } {
  const type = typeOf(context, schema);
  const properties = isLinked(type) ? '' : printProperties(context, schema);
  return { type, properties: blocks(properties, ...printAlternatives(context, schema)) };
}

function printAlternatives(context: SchemaContext, schema: unknown): string[] {
  const { oneOf, anyOf } = resolveObject(context.document, innermost(context, schema));
  const alternatives = [...asList(oneOf), ...asList(anyOf)].slice(0, MAX_ALTERNATIVES);
  return alternatives.flatMap((alternative) => {
    const type = typeOf(context, alternative);
    const properties = isLinked(type) ? '' : printProperties(context, alternative);
    return properties === '' ? [] : [`Variant ${type}:`, properties];
  });
}

/** Returns whether a type links to its details. */
const isLinked = (type: string): boolean => type.includes('](');

/** Returns the item schema of a list, or the schema itself. */
function innermost({ document }: SchemaContext, schema: unknown): unknown {
  const { items } = resolveObject(document, schema);
  return items === undefined ? schema : asObject(items);
}
