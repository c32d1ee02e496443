import { reportDiagnostic } from './library.js';
import { isSuccess } from './responses.js';

/**
 * Requires the query parameters `page` and `limit` on every operation that returns a page of a list.
 * @param {import('@typespec/compiler').Program} program
 * @param {import('@typespec/http').HttpOperation[]} operations
 */
export function checkLists(program, operations) {
  for (const { operation: target, parameters, responses } of operations) {
    if (!responses.some(returnsList)) continue;
    const names = parameters.parameters
      .filter((parameter) => parameter.type === 'query')
      .map((parameter) => parameter.name);
    const missing = ['page', 'limit'].filter((name) => !names.includes(name));
    if (missing.length > 0) {
      const format = { operation: target.name, parameters: missing.join(' and ') };
      reportDiagnostic(program, { code: 'list-unpaged', format, target });
    }
  }
}

/**
 * @param {import('@typespec/http').HttpOperationResponse} response
 * @returns {boolean}
 */
function returnsList({ statusCodes, responses }) {
  return isSuccess(statusCodes) && responses.some(({ body }) => body !== undefined && isList(body.type));
}

/**
 * Whether a type is a page of a list: an instance of `ListOf`, or a model with the properties `items` and `next`.
 * @param {import('@typespec/compiler').Type} type
 * @returns {boolean}
 */
function isList(type) {
  if (type.kind === 'Union') return [...type.variants.values()].some((variant) => isList(variant.type));
  if (type.kind !== 'Model') return false;
  if (type.name === 'ListOf' && type.templateMapper !== undefined) return true;
  return type.properties.has('items') && type.properties.has('next');
}
