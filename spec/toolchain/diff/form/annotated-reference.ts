import { isObject, type JsonObject } from '../../document.ts';
import type { Schema } from './form.ts';
import type { FormReader } from './form-reader.ts';
import { isAnnotation } from './schema-identities.ts';

/** Keywords that do not affect the allowed values, but are compared. */
const COMPARED_ANNOTATIONS = ['default', 'deprecated', 'readOnly', 'writeOnly'];

/** Reference to a component with at most annotations next to it. */
interface AnnotatedReference {
  schema: JsonObject;
  /** The component. */
  target: Schema;
}

/**
 * Returns two schemas as references to components, if both are and one has annotations next to it. These belong to the
 * schema that contains the reference, and not to the component.
 */
export function annotatedReferences(
  base: FormReader,
  head: FormReader,
  one: Schema,
  other: Schema,
): [AnnotatedReference, AnnotatedReference] | undefined {
  const [before, after] = [referenceOf(base, one), referenceOf(head, other)];
  const isBare = (reader: FormReader, { schema, target }: AnnotatedReference) =>
    reader.identify(schema) === reader.identify(target);
  return before && after && !(isBare(base, before) && isBare(head, after)) ? [before, after] : undefined;
}

function referenceOf(reader: FormReader, schema: Schema): AnnotatedReference | undefined {
  const isReference =
    isObject(schema) &&
    Object.keys(schema).every((keyword) => isAnnotation(keyword) || COMPARED_ANNOTATIONS.includes(keyword));
  if (!isReference) {
    return undefined;
  }
  const target = reader.follow(schema);
  // A reference to another reference can have constraints in between.
  return schema.$ref === `#/components/schemas/${reader.nameOf(target)}` ? { schema, target } : undefined;
}
