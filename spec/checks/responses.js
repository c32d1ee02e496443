import { reportDiagnostic } from './library.js';

/** Error statuses that every operation declares. `*` is the `default` response. */
const commonErrors = [400, 401, 403, 429, '*'];

/**
 * Requires the common error responses on every operation, 204 as the only success of a DELETE, and the header
 * `Idempotency-Key` on operations that create a resource.
 * @param {import('@typespec/compiler').Program} program
 * @param {import('@typespec/http').HttpOperation[]} operations
 */
export function checkResponses(program, operations) {
  for (const { operation: target, verb, path, parameters, responses } of operations) {
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
    const hasKey = parameters.parameters.some(
      ({ type, name }) => type === 'header' && name.toLowerCase() === 'idempotency-key',
    );
    if (declared.includes(201) && !hasKey) {
      reportDiagnostic(program, { code: 'idempotency-key-missing', format: { operation }, target });
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
