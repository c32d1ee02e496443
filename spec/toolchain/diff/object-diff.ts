import { type Form, isAny, isNever, type Part, type Schema } from './form.ts';
import { propertyAt } from './location.ts';
import type { RuleId } from './rules.ts';
import type { SchemaContext } from './schema-diff.ts';

/** Compares declared and undeclared properties of objects. */
export function diffObjects(context: SchemaContext, base: Part, head: Part, location: string): void {
  const { direction, report } = context;
  const [before, after] = [propertiesOf(context, base, 'base'), propertiesOf(context, head, 'head')];
  for (const [name, schema] of before) {
    const propertyLocation = propertyAt(location, name);
    const other = after.get(name);
    if (other === undefined) {
      report(removalRule(context, head, name), propertyLocation, `The property "${name}" was removed.`);
      // The property is undeclared now, so the schema of undeclared properties applies.
      if (direction === 'request' && !isNever(head.extra) && !isAny(head.extra)) {
        context.compare(schema, head.extra, propertyLocation);
      }
      continue;
    }
    const [wasRequired, isRequired] = [base.required.has(name), head.required.has(name)];
    if (!wasRequired && isRequired) {
      report(
        `${direction}-property-became-required`,
        propertyLocation,
        `The property "${name}" became required.`,
      );
    }
    if (wasRequired && !isRequired) {
      report(
        `${direction}-property-became-optional`,
        propertyLocation,
        `The property "${name}" became optional.`,
      );
    }
    context.compare(schema, other, propertyLocation);
  }
  for (const name of after.keys()) {
    if (before.has(name)) {
      continue;
    }
    const isRequired = head.required.has(name);
    const kind = isRequired ? 'required' : 'optional';
    const rule =
      direction === 'response'
        ? 'response-property-added'
        : isRequired
          ? 'request-property-required-added'
          : 'request-property-added';
    report(rule, propertyAt(location, name), `The ${kind} property "${name}" was added.`);
  }
  diffExtra(context, base.extra, head.extra, location);
}

/** An open object accepts undeclared properties, except properties whose schema allows no value. */
function removalRule({ direction, head: reader }: SchemaContext, head: Part, name: string): RuleId {
  if (direction === 'response') {
    return 'response-property-removed';
  }
  const remaining = head.properties.get(name);
  const rejected = isNever(head.extra) || (remaining !== undefined && isImpossible(reader.form(remaining)));
  return rejected ? 'request-property-removed' : 'request-property-ignored';
}

/** Properties in this direction. Required but undeclared properties have the schema of undeclared ones. */
function propertiesOf(context: SchemaContext, part: Part, side: 'base' | 'head'): Map<string, Schema> {
  const properties = new Map<string, Schema>();
  for (const [name, schema] of part.properties) {
    const form = context[side].form(schema);
    const hidden = context.direction === 'request' ? form.readOnly : form.writeOnly;
    if (!hidden && !isImpossible(form)) {
      properties.set(name, schema);
    }
  }
  for (const name of part.required) {
    if (!part.properties.has(name) && !isNever(part.extra)) {
      properties.set(name, part.extra);
    }
  }
  return properties;
}

function isImpossible(form: Form): boolean {
  return form.parts.length === 0 && !form.nullable;
}

function diffExtra(context: SchemaContext, base: Schema, head: Schema, location: string): void {
  const { direction, report } = context;
  const [before, after] = [isNever(base), isNever(head)];
  if (!before && after) {
    report(`${direction}-extra-narrowed`, location, 'Undeclared properties are no longer allowed.');
  } else if (before && !after) {
    // Clients ignore undeclared properties, in sealed objects too.
    if (direction === 'request') {
      report('request-extra-widened', location, 'Undeclared properties are allowed now.');
    }
  } else if (!before && !after) {
    context.compare(base, head, propertyAt(location, '*'));
  }
}
