import { isObject, type JsonObject } from '../../document.ts';
import { listed } from '../../report/text.ts';
import { type Form, isAny, isNever, type Part, type Schema } from '../form/form.ts';
import { propertyAt } from '../location.ts';
import type { RuleId } from '../rules/rules.ts';
import type { PartContext } from './schema-context.ts';

/** Compares declared and undeclared properties of objects. */
export function diffObjects(context: PartContext, base: Part, head: Part): void {
  const { direction, report } = context;
  const [before, after] = [propertiesOf(context, base, 'base'), propertiesOf(context, head, 'head')];
  for (const [name, schema] of before) {
    const path = propertyAt('', name);
    const declares = declaresProperty(name);
    const other = after.get(name);
    if (other === undefined) {
      report(removalRule(context, head, name), path, `The property "${name}" was removed.`, declares);
      // The property is undeclared now, so the schema of undeclared properties applies.
      if (direction === 'request' && !isNever(head.extra) && !isAny(head.extra)) {
        context.compare(schema, head.extra, path, declares);
      }
      continue;
    }
    const [wasRequired, isRequired] = [base.required.has(name), head.required.has(name)];
    const requires = ({ required }: JsonObject) => Array.isArray(required) && required.includes(name);
    if (!wasRequired && isRequired) {
      const message = `The property "${name}" became required.`;
      report(`${direction}-property-became-required`, path, message, requires);
    }
    if (wasRequired && !isRequired) {
      const message = `The property "${name}" became optional.`;
      report(`${direction}-property-became-optional`, path, message, requires);
    }
    context.compare(schema, other, path, declares);
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
    report(rule, propertyAt('', name), `The ${kind} property "${name}" was added.`, declaresProperty(name));
  }
  diffPatternProperties(context, base, head);
  diffExtra(context, base.extra, head.extra);
}

/** A pattern that was added or removed applies to properties that are undeclared in the other version. */
function diffPatternProperties(context: PartContext, base: Part, head: Part): void {
  const { direction, report } = context;
  const [before, after] = [base.patternProperties, head.patternProperties];
  const declares = ({ patternProperties }: JsonObject) => patternProperties !== undefined;
  for (const pattern of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [before.get(pattern) ?? base.extra, after.get(pattern) ?? head.extra];
    const place = propertyAt('', pattern);
    const subject = `Properties that match ${pattern} are`;
    if (isNever(one) && !isNever(other)) {
      // Clients ignore undeclared properties, in sealed objects too.
      if (direction === 'request') {
        report('request-extra-widened', place, `${subject} allowed now.`, declares);
      }
    } else if (!isNever(one) && isNever(other)) {
      report(`${direction}-extra-narrowed`, place, `${subject} no longer allowed.`, declares);
    } else if (!isNever(one)) {
      context.compare(one, other, place, declares);
    }
    const isBoth = before.has(pattern) && after.has(pattern);
    const declared = [...base.properties.keys()].filter((name) => head.properties.has(name));
    const matching = isBoth ? [] : declared.filter((name) => matches(pattern, name));
    if (matching.length > 0) {
      const message = `The pattern ${pattern} changed, which also applies to ${listed(matching, 4)}.`;
      report(`${direction}-keyword-changed`, place, message, declares);
    }
  }
}

/** Whether the name of a declared property matches a pattern of the document. */
function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern).test(name);
  } catch {
    return true;
  }
}

function declaresProperty(name: string): (plain: JsonObject) => boolean {
  return ({ properties }) => isObject(properties) && Object.hasOwn(properties, name);
}

/** An open object accepts undeclared properties, except properties with a schema that allows no value. */
function removalRule({ direction, head: reader }: PartContext, head: Part, name: string): RuleId {
  if (direction === 'response') {
    return 'response-property-removed';
  }
  const remaining = head.properties.get(name);
  const rejected = isNever(head.extra) || (remaining !== undefined && isImpossible(reader.form(remaining)));
  return rejected ? 'request-property-removed' : 'request-property-ignored';
}

/** Properties in this direction. Required but undeclared properties have the schema of undeclared ones. */
function propertiesOf(context: PartContext, part: Part, side: 'base' | 'head'): Map<string, Schema> {
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

function diffExtra(context: PartContext, base: Schema, head: Schema): void {
  const { direction, report } = context;
  const [before, after] = [isNever(base), isNever(head)];
  const seals = ({ additionalProperties, unevaluatedProperties }: JsonObject) =>
    additionalProperties !== undefined || unevaluatedProperties !== undefined;
  if (!before && after) {
    report(`${direction}-extra-narrowed`, '', 'Undeclared properties are no longer allowed.', seals);
  } else if (before && !after) {
    // Clients ignore undeclared properties, in sealed objects too.
    if (direction === 'request') {
      report('request-extra-widened', '', 'Undeclared properties are allowed now.', seals);
    }
  } else if (!before && !after) {
    context.compare(base, head, propertyAt('', '*'), seals);
  }
}
