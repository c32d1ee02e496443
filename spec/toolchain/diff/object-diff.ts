import { type Form, isAny, isNothing, type Part, type Schema } from './form.ts';
import { propertyAt } from './place.ts';
import type { RuleId } from './rules.ts';
import type { SchemaContext } from './schema-diff.ts';

/** Compares the properties of objects, and what may stand beside them. */
export function diffObjects(context: SchemaContext, base: Part, head: Part, where: string): void {
  const { direction, tell } = context;
  const [before, after] = [propertiesOf(context, base, 'base'), propertiesOf(context, head, 'head')];
  for (const [name, schema] of before) {
    const place = propertyAt(where, name);
    const other = after.get(name);
    if (other === undefined) {
      tell(removal(context, head, name), place, `The property "${name}" was removed.`);
      // Where others may stand beside the declared ones, it is one of those now.
      if (direction === 'request' && !isNothing(head.extra) && !isAny(head.extra)) {
        context.compare(schema, head.extra, place);
      }
      continue;
    }
    const [needed, needs] = [base.required.has(name), head.required.has(name)];
    if (!needed && needs) {
      tell(`${direction}-property-became-required`, place, `The property "${name}" became required.`);
    }
    if (needed && !needs) {
      tell(`${direction}-property-became-optional`, place, `The property "${name}" became optional.`);
    }
    context.compare(schema, other, place);
  }
  for (const name of after.keys()) {
    if (before.has(name)) continue;
    const needs = head.required.has(name);
    const kind = needs ? 'required' : 'optional';
    const rule =
      direction === 'response'
        ? 'response-property-added'
        : needs
          ? 'request-property-required-added'
          : 'request-property-added';
    tell(rule, propertyAt(where, name), `The ${kind} property "${name}" was added.`);
  }
  diffExtra(context, base.extra, head.extra, where);
}

/** An open object takes a property that it does not declare, unless the property is ruled out by name. */
function removal({ direction, head: reader }: SchemaContext, head: Part, name: string): RuleId {
  if (direction === 'response') return 'response-property-removed';
  const left = head.properties.get(name);
  const refused = isNothing(head.extra) || (left !== undefined && isImpossible(reader.form(left)));
  return refused ? 'request-property-removed' : 'request-property-ignored';
}

/** The properties that travel in this direction; one that is demanded and not declared is whatever else may stand. */
function propertiesOf(context: SchemaContext, part: Part, side: 'base' | 'head'): Map<string, Schema> {
  const found = new Map<string, Schema>();
  for (const [name, schema] of part.properties) {
    const form = context[side].form(schema);
    const hidden = context.direction === 'request' ? form.readOnly : form.writeOnly;
    if (!hidden && !isImpossible(form)) found.set(name, schema);
  }
  for (const name of part.required) {
    if (!part.properties.has(name) && !isNothing(part.extra)) found.set(name, part.extra);
  }
  return found;
}

function isImpossible(form: Form): boolean {
  return form.parts.length === 0 && !form.nullable;
}

function diffExtra(context: SchemaContext, base: Schema, head: Schema, where: string): void {
  const { direction, tell } = context;
  const [before, after] = [isNothing(base), isNothing(head)];
  if (!before && after) {
    tell(`${direction}-extra-narrowed`, where, 'Properties that are not declared are ruled out now.');
  } else if (before && !after) {
    tell(`${direction}-extra-widened`, where, 'Properties that are not declared are allowed now.');
  } else if (!before && !after) {
    context.compare(base, head, propertyAt(where, '*'));
  }
}
