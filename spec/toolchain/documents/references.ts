import { isObject, type JsonObject } from '../document.ts';
import { eachObject } from '../rewrite.ts';

/** Whether a document refers to other files. */
export function hasExternalReferences(root: JsonObject): boolean {
  let found = false;
  eachObject(root, (object) => {
    found ||= externalReferences(object).length > 0;
  });
  return found;
}

/** Returns the references of one object to other files: `$ref`, and those of a discriminator. */
function externalReferences({ $ref, mapping, propertyName }: JsonObject): string[] {
  const mapped = typeof propertyName === 'string' && isObject(mapping) ? Object.values(mapping) : [];
  return [
    ...(typeof $ref === 'string' && !$ref.startsWith('#') ? [$ref] : []),
    ...mapped.filter((value): value is string => typeof value === 'string' && isFileReference(value)),
  ];
}

/** A mapping contains names of schemas and references; a name has no slash and no ending of a file. */
export function isFileReference(value: string): boolean {
  return !value.startsWith('#') && /[/#]|\.(ya?ml|json)$/i.test(value);
}
