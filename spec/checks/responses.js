import { reportDiagnostic } from './library.js';

/** Error statuses that every operation declares. `*` is the `default` response. */
const commonErrors = [400, 401, 403, 429, '*'];

/**
 * Requires the common error responses on every operation, and 204 as the only success of a DELETE.
 * @param {import('@typespec/compiler').Program} program
 * @param {import('@typespec/http').HttpOperation[]} operations
 */
export function checkResponses(program, operations) {
  for (const { operation: target, verb, path, responses } of operations) {
    const operation = target.name;
    const declared = responses.map((response) => response.statusCodes);
    const hasPathParameter = path.includes('{');
    const expected = hasPathParameter ? [...commonErrors, 404] : commonErrors;
    const missing = expected.filter((status) => !declared.some((one) => one === status));
    if (missing.length > 0) {
      const statuses = missing.map((status) => (status === '*' ? 'default' : status)).join(', ');
      const alias = hasPathParameter ? 'ResourceErrors' : 'CommonErrors';
      reportDiagnostic(program, {
        code: 'errors-missing',
        format: { operation, statuses, alias },
        target,
      });
    }
    if (verb === 'delete') {
      const successes = declared.filter(isSuccess);
      if (successes.length !== 1 || successes[0] !== 204) {
        const statuses = successes.join(' and ') || 'no success status';
        reportDiagnostic(program, { code: 'delete-status', format: { operation, statuses }, target });
      }
    }
  }
}

/**
 * @param {import('@typespec/http').HttpOperationResponse['statusCodes']} status
 * @returns {status is number}
 */
export function isSuccess(status) {
  return typeof status === 'number' && status >= 200 && status < 300;
}
