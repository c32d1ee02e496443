import { isObject, type JsonObject } from '../document.ts';
import { atomsOf, type Schema } from './form.ts';
import type { FormReader } from './form-reader.ts';
import type { OperationContext } from './operation-diff.ts';
import type { ListedOperation } from './operation-list.ts';

/** A parameter, and the two names it goes by. */
interface Named {
  parameter: JsonObject;
  /** What it is called on the wire: a path parameter is its place in the path. */
  key: string;
  where: string;
}

/** Header parameters that say nothing, since other parts of the document speak for them (OpenAPI, Parameter Object). */
const ignored = new Set(['accept', 'content-type', 'authorization']);

/** Compares the parameters of one operation. */
export function diffParameters(
  context: OperationContext,
  base: ListedOperation,
  head: ListedOperation,
): void {
  const { tell } = context;
  const [before, after] = [named(base), named(head)];
  const added = new Map([...after].filter(([key]) => !before.has(key)));
  for (const [key, { parameter, where }] of before) {
    const other = after.get(key);
    if (other) {
      diffParameter(context, parameter, other.parameter, where);
      continue;
    }
    const moved = [...added].find(([, { parameter: other }]) => other.name === parameter.name);
    if (moved) {
      added.delete(moved[0]);
      tell('parameter-moved', where, `It moved from the ${parameter.in} to the ${moved[1].parameter.in}.`);
      diffParameter(context, parameter, moved[1].parameter, where);
    } else {
      tell('parameter-removed', where, 'It was removed.');
    }
  }
  for (const { parameter, where } of added.values()) {
    if (parameter.required === true)
      tell('parameter-required-added', where, 'It was added, and is required.');
    else tell('parameter-added', where, 'It was added, and is optional.');
  }
}

function named({ parameters, pathNames }: ListedOperation): Map<string, Named> {
  const found = new Map<string, Named>();
  for (const parameter of parameters) {
    const [place, name] = [String(parameter.in), String(parameter.name)];
    const wire =
      place === 'header' ? name.toLowerCase() : place === 'path' ? String(pathNames.indexOf(name)) : name;
    if (place === 'header' && ignored.has(wire)) continue;
    // Documents that forget a name in the path keep it as it is.
    const key = `${place} ${wire === '-1' ? name : wire}`;
    found.set(key, { parameter, key, where: `${place} parameter ${name}` });
  }
  return found;
}

function diffParameter(context: OperationContext, base: JsonObject, head: JsonObject, where: string): void {
  const { tell, schemas, direction } = context;
  const [needed, needs] = [base, head].map(
    ({ required, in: place }) => required === true || place === 'path',
  );
  if (!needed && needs) tell('parameter-became-required', where, 'It became required.');
  if (needed && !needs) tell('parameter-became-optional', where, 'It became optional.');
  if (base.deprecated !== true && head.deprecated === true) {
    tell('parameter-deprecated', where, 'It is deprecated.');
  }
  const [before, after] = [writingOf(base, context.base), writingOf(head, context.head)];
  if (before.writing !== after.writing && before.complex === after.complex) {
    tell(
      'parameter-style-changed',
      where,
      `The way it is written changed from ${before.writing} to ${after.writing}.`,
    );
  }
  if (base.allowEmptyValue === true && head.allowEmptyValue !== true) {
    tell(`${direction('request')}-limit-narrowed`, where, 'It may no longer be empty.');
  }
  schemas(before.schema, after.schema, { direction: direction('request'), text: !before.media, where, tell });
  if (base.description !== head.description) tell('docs-changed', where, 'Its description changed.');
}

const styles: Readonly<Record<string, string>> = {
  query: 'form',
  cookie: 'form',
  path: 'simple',
  header: 'simple',
};

/** How a value is written (OpenAPI 3.1, Style Values); what makes no difference to its types is left out. */
function writingOf(
  { in: place, style: given, explode: exploded, schema = true, content }: JsonObject,
  reader: FormReader,
): { schema: Schema; writing: string; complex: boolean; media: boolean } {
  const [media] = isObject(content) ? Object.entries(content) : [];
  if (media) {
    const [name, type] = media;
    const found = isObject(type) ? (type.schema ?? true) : true;
    return { schema: found, writing: name, complex: true, media: true };
  }
  const style = typeof given === 'string' ? given : (styles[String(place)] ?? 'form');
  const explode = typeof exploded === 'boolean' ? exploded : style === 'form';
  const types = atomsOf(reader.form(schema));
  const complex = types.has('array') || types.has('object');
  // The separator of arrays does not show in a value that is neither array nor object.
  const plain = style === 'label' || style === 'matrix' ? style : 'plain';
  return {
    schema,
    writing: complex ? `${style}${explode ? ', exploded' : ''}` : plain,
    complex,
    media: false,
  };
}
