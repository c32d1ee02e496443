import type { Json } from '../../document.ts';
import type { Source } from '../../source.ts';
import type { Form, Part, Schema } from './form.ts';
import { partsOf } from './parts.ts';
import { reduceParts } from './reduce-parts.ts';
import type { SchemaLookup } from './references.ts';
import { type Expanded, SchemaExpander } from './schema-expander.ts';
import { SchemaIdentities } from './schema-identities.ts';

/** Reader of a document's schemas. */
export interface FormReader extends SchemaLookup {
  /**
   * Normal form of a schema; cached.
   * @param apart whether to keep unions within `allOf` apart instead of combining their variants
   */
  form(schema: Schema, apart?: boolean): Form;
}

/** Creates the reader of a document's schemas. Forms are lazy: nested schemas stay unchanged. */
export function createFormReader(source: Source): FormReader {
  const identities = new SchemaIdentities(source);
  const { references } = identities;
  const expander = new SchemaExpander(identities);
  const forms = new Map<number | string, Form>();
  const formsApart = new Map<number | string, Form>();
  const identify = (schema: Schema) => identities.identify(schema);
  return {
    follow: (value) => references.follow(value),
    nameOf: (schema) => references.nameOf(schema),
    hasSchema: (name) => references.hasSchema(name),
    identify,
    form(schema, apart = false) {
      const cache = apart ? formsApart : forms;
      const key = identify(schema);
      let form = cache.get(key);
      if (form === undefined) {
        form = formOf(expander.expand(schema, apart), identities);
        cache.set(key, form);
      }
      return form;
    },
  };
}

function formOf(
  { alternatives, always, exclusive, discriminator, uncombined }: Expanded,
  identities: SchemaIdentities,
): Form {
  const { isVersion30 } = identities;
  const intersect = (schemas: readonly Schema[]) => identities.intersect(schemas);
  const split = alternatives.map((alternative) => partsOf(alternative, { isVersion30, intersect }));
  const first = (key: string): Json | undefined => always.find((plain) => plain[key] !== undefined)?.[key];
  const value = first('default');
  return {
    nullable: split.some(({ nullable }) => nullable),
    parts: withoutSharedNames(
      reduceParts(
        split.flatMap(({ parts }) => parts),
        exclusive,
      ),
    ),
    exclusive,
    ...(uncombined !== undefined && { uncombined }),
    ...(discriminator && { discriminator }),
    ...(value !== undefined && { default: value }),
    deprecated: first('deprecated') === true,
    readOnly: first('readOnly') === true,
    writeOnly: first('writeOnly') === true,
  };
}

/** Variants that a component combines with another schema have its name, which does not distinguish them. */
function withoutSharedNames(parts: readonly Part[]): Part[] {
  const names = parts.flatMap(({ kind, name }) => (kind === 'object' && name !== undefined ? [name] : []));
  const shared = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return parts.map((part) => {
    const { name, ...rest } = part;
    return part.kind === 'object' && name !== undefined && shared.has(name) ? rest : part;
  });
}
