import { reportDiagnostic } from './library.js';
import { isSuccess } from './responses.js';

/**
 * Each operation that answers a page of a list takes `page` and `limit`.
 * @param {import('@typespec/compiler').Program} program
 * @param {import('@typespec/http').HttpOperation[]} operations
 */
export function checkLists(program, operations) {
  for (const { operation: target, parameters, responses } of operations) {
    if (!responses.some(answersList)) continue;
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
function answersList({ statusCodes, responses }) {
  return isSuccess(statusCodes) && responses.some(({ body }) => body !== undefined && isList(body.type));
}

/**
 * A page of a list is made from the template `ListOf`, or has its shape: `items` and `next`.
 * @param {import('@typespec/compiler').Type} type
 * @returns {boolean}
 */
function isList(type) {
  if (type.kind === 'Union') return [...type.variants.values()].some((variant) => isList(variant.type));
  if (type.kind !== 'Model') return false;
  if (type.name === 'ListOf' && type.templateMapper !== undefined) return true;
  return type.properties.has('items') && type.properties.has('next');
}
