import { reportDiagnostic } from './library.js';

/** The failures that every operation can end in; `*` is what the contract calls default. */
const everywhere = [400, 401, 403, 429, '*'];

/**
 * Each operation declares the failures that it can end in, and a deletion succeeds with 204.
 * @param {import('@typespec/compiler').Program} program
 * @param {import('@typespec/http').HttpOperation[]} operations
 */
export function checkResponses(program, operations) {
  for (const { operation: target, verb, path, responses } of operations) {
    const operation = target.name;
    const declared = responses.map((response) => response.statusCodes);
    const namesThing = path.includes('{');
    const expected = namesThing ? [...everywhere, 404] : everywhere;
    const missing = expected.filter((status) => !declared.some((one) => one === status));
    if (missing.length > 0) {
      const statuses = missing.map((status) => (status === '*' ? 'default' : status)).join(', ');
      const alias = namesThing ? 'ResourceErrors' : 'CommonErrors';
      reportDiagnostic(program, {
        code: 'errors-missing',
        format: { operation, statuses, alias },
        target,
      });
    }
    if (verb === 'delete') {
      const successes = declared.filter(isSuccess);
      if (successes.length !== 1 || successes[0] !== 204) {
        const statuses = successes.join(' and ') || 'no success';
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
