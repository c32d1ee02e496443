import { allowed } from '../form/canonical.ts';
import type { Form } from '../form/form.ts';
import type { FormReader } from '../form/form-reader.ts';
import { propertyAt } from '../location.ts';
import type { SchemaContext } from './schema-context.ts';

/**
 * Compares the values of a discriminator that only its mapping declares. Those that the schemas list themselves are
 * compared with the property.
 */
export function diffMappings(context: SchemaContext, base: Form, head: Form): void {
  const [before, after] = [base.discriminator, head.discriminator];
  if (before === undefined || after === undefined || before.property !== after.property) {
    return;
  }
  const { direction, report } = context;
  const path = propertyAt('', before.property);
  for (const value of mappedOnly(context.base, base, head)) {
    report(
      `${direction}-enum-narrowed`,
      path,
      `The value ${JSON.stringify(value)} is no longer ${allowed(direction)}.`,
    );
  }
  for (const value of mappedOnly(context.head, head, base)) {
    report(
      `${direction}-enum-widened`,
      path,
      `The value ${JSON.stringify(value)} is ${allowed(direction)} now.`,
    );
  }
}

/** Returns the values that the mapping of a schema declares, and that of the other version does not. */
function mappedOnly(reader: FormReader, { discriminator, parts }: Form, other: Form): string[] {
  const { property, names } = discriminator ?? { property: '', names: new Map<string, string>() };
  const targets = other.discriminator?.names ?? new Map<string, string>();
  const retained = new Set(namesOf(other));
  const isUnion = namesOf({ parts }).length > 1;
  return [...names].flatMap(([value, name]) => {
    // A schema without a value in the mapping is named by its own name (OpenAPI 3.1, Discriminator Object).
    const isImplicit = value === name && ![...targets.values()].includes(name);
    // A variant that was added or removed is one change.
    const isWhole = isUnion && !retained.has(name);
    const tag = parts.find((part) => part.name === name)?.properties.get(property) ?? true;
    const isListed = reader.form(tag).parts.some(({ values }) => values !== undefined);
    return targets.has(value) || isImplicit || isWhole || isListed ? [] : [value];
  });
}

/** Names of the variants. */
const namesOf = ({ parts }: Pick<Form, 'parts'>): string[] =>
  parts.flatMap(({ kind, name }) => (kind === 'object' && name !== undefined ? [name] : []));
