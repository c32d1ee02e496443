import type { Diagnostic, Program } from '@typespec/compiler';
import { getAllHttpServices } from '@typespec/http';
import { dereference, METHODS, type OpenApiDocument, type Parameter, type PathItem } from '../document.ts';
import type { Problem } from '../problem.ts';

/**
 * Repairs path parameters that the emitter emits so that the path is another one than that of the contract, in place:
 * - path expansion (`{/name}`, RFC 6570, section 3.2.6): the slash is left out
 * - optional ones: they are emitted as such, although path parameters are required (OpenAPI 3.1, Parameter Object)
 *
 * @returns warnings for what OpenAPI 3.1 cannot express
 */
export function repairPathParameters(program: Program, document: OpenApiDocument): Problem[] {
  const [services] = getAllHttpServices(program);
  const problems: Problem[] = [];
  for (const { path, verb, parameters } of services.flatMap(({ operations }) => operations)) {
    const declared = parameters.parameters.filter((parameter) => parameter.type === 'path');
    const expanded = declared.filter(({ style }) => style === 'path');
    const completed = expanded.reduce(
      (text, { name }) =>
        text.replace(`{${name}}`, (found, index: number) => (text[index - 1] === '/' ? found : `/${found}`)),
      path,
    );
    const item = document.paths[path];
    if (item?.[verb] === undefined) {
      continue;
    }
    for (const { name, explode, param } of expanded) {
      if (explode && param.type.kind === 'Model') {
        problems.push(
          warning(
            `The path parameter ${name} of ${completed} has several segments, one for each item, which OpenAPI 3.1 cannot express. The document separates items by commas: omit "*" from its expression.`,
          ),
        );
      }
    }
    for (const parameter of pathParametersOf(document, item)) {
      if (parameter.required !== true) {
        parameter.required = true;
        problems.push(
          warning(
            `The path parameter ${parameter.name} of ${completed} is optional, which OpenAPI 3.1 cannot express, so that it is required in the document. Declare another operation for the path without it.`,
          ),
        );
      }
    }
    if (completed !== path) {
      moveOperation(document, verb, path, completed);
    }
  }
  return problems;
}

/** Whether a diagnostic is the emitter's warning about path expansion, which {@link repairPathParameters} repairs. */
export const isPathExpansionWarning = ({ code, message }: Diagnostic): boolean =>
  code === '@typespec/openapi3/invalid-style' && message.startsWith("Style 'path' ");

const warning = (message: string): Problem => ({ severity: 'warning', code: 'path-parameter', message });

const pathParametersOf = (document: OpenApiDocument, item: PathItem): Parameter[] =>
  [...(item.parameters ?? []), ...METHODS.flatMap((method) => item[method]?.parameters ?? [])]
    .map((declared) => dereference<Parameter>(document, declared))
    .filter((parameter) => parameter.in === 'path');

/** Moves an operation to another path, unless this has an operation with the method. */
function moveOperation(
  document: OpenApiDocument,
  method: (typeof METHODS)[number],
  path: string,
  target: string,
): void {
  const { [method]: operation, ...others } = document.paths[path] ?? {};
  const existing = document.paths[target];
  if (operation === undefined || existing?.[method] !== undefined) {
    return;
  }
  const { parameters, ...rest } = others;
  document.paths[target] = { ...(parameters && { parameters }), ...existing, [method]: operation };
  if (Object.keys(rest).length === 0) {
    delete document.paths[path];
  } else {
    document.paths[path] = others;
  }
}
