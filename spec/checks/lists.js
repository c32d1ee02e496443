import { getPagingOperation, isArrayModelType, isList } from '@typespec/compiler';
import { getOperationId } from '@typespec/openapi';
import { reportDiagnostic } from './library.js';
import { isSuccess } from './responses.js';

/**
 * Requires that a list is returned in pages: no success body is an array, every operation whose id starts with `list`
 * or that returns a page is marked `@list`, and takes `page` and `limit`.
 * @param {import('@typespec/compiler').Program} program
 * @param {import('@typespec/http').HttpOperation[]} operations
 */
export function checkLists(program, operations) {
  for (const { operation: target, responses } of operations) {
    const operation = target.name;
    const bodies = responses
      .filter(({ statusCodes }) => isSuccess(statusCodes))
      .flatMap((response) => response.responses.flatMap(({ body }) => body?.type ?? []));
    if (bodies.some((body) => body.kind === 'Model' && isArrayModelType(body))) {
      reportDiagnostic(program, { code: 'list-unbounded', format: { operation }, target });
      continue;
    }
    if (!isList(program, target)) {
      const id = getOperationId(program, target) ?? operation;
      if (/^list[A-Z]/.test(id) || bodies.some(isPage)) {
        reportDiagnostic(program, { code: 'list-unmarked', format: { operation }, target });
      }
      continue;
    }
    // The compiler reports a `@list` without a page of items; this only adds what it leaves optional.
    const { input } = getPagingOperation(program, target)[0] ?? {};
    const missing = [...(input?.continuationToken ? [] : ['page']), ...(input?.pageSize ? [] : ['limit'])];
    if (missing.length > 0) {
      const format = { operation, parameters: missing.join(' and ') };
      reportDiagnostic(program, { code: 'list-unpaged', format, target });
    }
  }
}

/**
 * Whether a body has the shape of a page: `items` and `next`.
 * @param {import('@typespec/compiler').Type} body
 * @returns {boolean}
 */
function isPage(body) {
  if (body.kind === 'Union') {
    return [...body.variants.values()].some(({ type }) => isPage(type));
  }
  return body.kind === 'Model' && body.properties.has('items') && body.properties.has('next');
}
