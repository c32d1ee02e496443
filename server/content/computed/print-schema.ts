import { asObject } from './json.ts';
import { propertiesOf, type SchemaContext, typeOf } from './schema.ts';
import { resolveObject } from './specification.ts';
import { blocks, code, table } from './text.ts';

/** The table of the properties of a schema; '' for one without any. */
export function printProperties(context: SchemaContext, schema: unknown): string {
  const { rows, more } = propertiesOf(context, innermost(context, schema));
  if (rows.length === 0) return '';
  const cells = rows.map(({ name, type, required, description }) => [
    `${code(name)}${required ? ' (required)' : ''}`,
    type,
    description,
  ]);
  return blocks(
    table(['Property', 'Type', 'Description'], cells),
    more && 'There are more properties: the specification itself holds all of them.',
  );
}

/** The type of a schema, and its properties, where they are not told elsewhere. */
export function printSchema(context: SchemaContext, schema: unknown): { type: string; properties: string } {
  const type = typeOf(context, schema);
  return { type, properties: type.includes('](') ? '' : printProperties(context, schema) };
}

/** What a list at the outside is a list of. */
function innermost({ document }: SchemaContext, schema: unknown): unknown {
  const { items } = resolveObject(document, schema);
  return items === undefined ? schema : asObject(items);
}
