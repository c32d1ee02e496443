import type { Program } from '@typespec/compiler';
import { getAllHttpServices } from '@typespec/http';
import { dereference, type OpenApiDocument, type Parameter, type PathItem } from '../document.ts';

/** Code of the emitter's warning about parameters that {@link markReservedParameters} marks. */
export const RESERVED_EXPANSION_WARNING = '@typespec/openapi3/path-reserved-expansion';

/**
 * Marks the path parameters with reserved expansion (`@route("/files/{+path}")`), which the emitter omits, because
 * OpenAPI 3.1 has no keyword for it: `x-allow-reserved`.
 */
export function markReservedParameters(program: Program, document: OpenApiDocument): void {
  const [services] = getAllHttpServices(program);
  for (const { path, verb, parameters } of services.flatMap(({ operations }) => operations)) {
    const reserved = parameters.parameters.flatMap((parameter) =>
      parameter.type === 'path' && parameter.allowReserved ? parameter.name : [],
    );
    const item: PathItem = document.paths[path] ?? {};
    for (const declared of [...(item.parameters ?? []), ...(item[verb]?.parameters ?? [])]) {
      const parameter = dereference<Parameter>(document, declared);
      if (parameter.in === 'path' && reserved.includes(parameter.name)) {
        parameter['x-allow-reserved'] = true;
      }
    }
  }
}
