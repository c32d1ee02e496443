import type { Operation } from '../../../model/contract/contract.ts';
import { parametersOf } from '../../../model/plan/names.ts';
import { draw, seedOf } from '../../../model/sample/draw.ts';
import { ifUsable } from '../../../model/schema/schema.ts';
import { isVersionPrecondition } from '../../requests/identifier-fields.ts';
import type { WireRequest } from '../../wire/exchange.ts';
import { requestWith } from '../../wire/request.ts';
import type { RequestGenerators } from '../request-generators.ts';
import { stepOf } from '../step.ts';

/**
 * Creates a minimal request of an operation to the path of a resource, with the headers and query parameters that it
 * requires.
 *
 * @param version current version of the resource, for a precondition
 * @returns undefined if no request can be generated
 */
export function requestAt(
  generators: RequestGenerators,
  operation: Operation,
  address: string,
  caller: 'own' | 'second',
  version: string | undefined,
): WireRequest | undefined {
  const values = address.split('/').map(decodeURIComponent);
  const path = Object.fromEntries(
    operation.path.split('/').flatMap((segment, at): [string, string][] => {
      const [name] = parametersOf(segment);
      return name === undefined ? [] : [[name, values[at] ?? '']];
    }),
  );
  const [drawn] =
    ifUsable(() =>
      draw(generators.of(operation).minimal({ path }), seedOf(generators.seed, `delete ${address}`)),
    ) ?? [];
  if (!drawn) {
    return undefined;
  }
  const { headers, ...parts } = drawn.value;
  const others = headers.filter(([name]) => !isVersionPrecondition({ in: 'header', name }));
  const conditions: [string, string][] =
    version !== undefined && operation.parameters.some(isVersionPrecondition) ? [['If-Match', version]] : [];
  const step = stepOf(operation, { ...parts, headers: [...others, ...conditions] }, caller);
  // The parts of a minimal request refer to no earlier response.
  const { target, ...request } = requestWith(operation, step, () => '');
  const [, query] = target.split('?');
  return { ...request, target: query === undefined ? address : `${address}?${query}` };
}
