import {
  dereferenced,
  type OpenApiDocument,
  operationsOf,
  type ParameterObject,
  type PathItem,
} from '../../document.ts';
import { type PathTemplate, parseTemplate } from './path-template.ts';

/**
 * Parses the path of operations, with the parameters that they declare. Undeclared ones are strings.
 *
 * @throws Error with the reason why the path is not supported, which continues a sentence about it
 */
export function operationTemplate(document: OpenApiDocument, path: string, item: PathItem): PathTemplate {
  const declared = new Map<string, boolean>();
  const own = operationsOf(item).flatMap(([, { parameters = [] }]) => parameters);
  for (const parameter of [...(item.parameters ?? []), ...own]) {
    const { in: part, name, allowReserved, ...rest } = parameterIn(document, parameter);
    if (part === 'path' && name !== undefined) {
      const isReserved = allowReserved === true || rest['x-allow-reserved'] === true;
      declared.set(name, isReserved || declared.get(name) === true);
    }
  }
  return parseTemplate(path, declared);
}

/** Returns a parameter without references; none if a reference does not resolve, which is a problem of its own. */
function parameterIn(document: OpenApiDocument, parameter: object): Partial<ParameterObject> {
  try {
    return dereferenced<ParameterObject>(document, parameter);
  } catch {
    return {};
  }
}
