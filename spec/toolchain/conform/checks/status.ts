import { anonymous } from '../../model/plan/names.ts';
import { isOfParser } from '../wire/response.ts';
import type { Check, CheckedExchange } from './check.ts';
import { matchResponse } from './declared.ts';
import { operationLine } from './location.ts';

/**
 * Returns whether a request has the method of its operation. With another one, no declaration applies to the response.
 */
export const isOfOperation = ({ step, operation }: CheckedExchange): boolean =>
  step.fault?.method === undefined || step.fault.method === operation.method;

/** Returns whether a status states that another server failed, which the contract declares by itself. */
const isDeclaredGatewayError = ({ responses }: CheckedExchange['operation'], status: number): boolean =>
  (status === 502 || status === 504) && String(status) in responses;

/** Checks that the server does not fail. */
export const noServerError: Check = {
  name: 'no-server-error',
  rule: 'No request causes a status of 500 or above (except 501, and declared 502 and 504), a broken connection or a timeout.',
  verify({ operation, step, exchange: { response, failure } }) {
    const request = step.fault ? 'an invalid request' : 'a valid request';
    const expected =
      'Servers reject requests that they cannot process with a status from 400 to 499 (RFC 9110, 15.5).';
    if (!response) {
      const message = `${operationLine(operation)} returned no response to ${request}: ${failure ?? 'no data.'}`;
      return { message, expected, cause: `no response at ${operation.id}` };
    }
    if (response.status < 500 || isDeclaredGatewayError(operation, response.status)) {
      return undefined;
    }
    const message = `${operationLine(operation)} returned ${response.status} for ${request}.`;
    return { message, expected, cause: `status ${response.status} at ${operation.id}` };
  },
};

/** Checks that statuses are declared. */
export const declaredStatus: Check = {
  name: 'declared-status',
  rule: 'Every returned status is declared: by itself, by its range, or by `default`. Successes are not checked if only errors are declared.',
  verify(checked) {
    const { operation, exchange } = checked;
    const status = exchange.response?.status;
    // Only no-server-error reports server errors.
    if (status === undefined || status >= 500 || !isOfOperation(checked)) {
      return undefined;
    }
    if (exchange.response && isOfParser(exchange.response)) {
      return undefined;
    }
    if (matchResponse(operation, status) || (status < 400 && declaresOnlyErrors(operation))) {
      return undefined;
    }
    return {
      message: `${operationLine(operation)} returned ${status}, which the contract does not declare.`,
      expected: `${operation.id} declares ${Object.keys(operation.responses).join(', ') || 'no status'}.`,
      // The operations of a server usually share the code that rejects requests.
      cause: status >= 400 ? `undeclared status ${status}` : `undeclared status ${status} of ${operation.id}`,
    };
  },
};

/** Whether the successes of an operation are not documented. */
const declaresOnlyErrors = ({ responses }: CheckedExchange['operation']): boolean =>
  Object.keys(responses).every((status) => /^[45]/.test(status));

/** Checks that 405 lists the allowed methods (RFC 9110, 15.5.6). */
export const allowHeader: Check = {
  name: 'allow-header',
  rule: 'A 405 response has an Allow header with every method that the contract declares for the path.',
  verify({ contract, operation, exchange: { response, request } }) {
    if (response?.status !== 405) {
      return undefined;
    }
    const declared = contract.operations
      .filter(({ path }) => anonymous(path) === anonymous(operation.path))
      .map(({ method }) => method);
    const expected = `The contract declares ${declared.join(', ')} for ${operation.path}. 405 must list them in Allow (RFC 9110, 15.5.6).`;
    const header = response.headers.allow;
    if (header === undefined) {
      const message = `${request.method} ${operation.path} returned 405 without the header Allow.`;
      return { message, expected, cause: '405 without Allow' };
    }
    const listed = header.split(',').map((method) => method.trim());
    const missing = declared.filter((method) => !listed.includes(method));
    if (missing.length > 0) {
      const message = `${request.method} ${operation.path} returned 405 with "Allow: ${header}", which omits ${missing.join(', ')}.`;
      return { message, expected, cause: `Allow of ${operation.path} omits ${missing.join(', ')}` };
    }
    if (!listed.includes(request.method)) {
      return undefined;
    }
    const message = `${request.method} ${operation.path} returned 405, but "Allow: ${header}" lists the method.`;
    return { message, expected, cause: `Allow of ${operation.path} lists a method that returns 405` };
  },
};

/** Methods that servers may support without a declaration. */
const OPTIONAL_METHODS = new Set(['OPTIONS', 'HEAD']);
/** Accepted statuses: 400 and 501 for unknown methods; authentication and limits may apply first (RFC 9110, 15.6.2). */
const REJECTION_STATUSES = new Set([405, 501, 400, 401, 403, 429]);

/** Checks that undeclared methods are rejected. */
export const undeclaredMethod: Check = {
  name: 'undeclared-method',
  rule: 'Methods that the contract does not declare for a path return 405, or 501 if no path has them.',
  verify({ contract, operation, step, exchange: { response, request } }) {
    if (
      step.fault?.kind !== 'method' ||
      !response ||
      response.status >= 500 ||
      OPTIONAL_METHODS.has(request.method)
    ) {
      return undefined;
    }
    if (REJECTION_STATUSES.has(response.status)) {
      return undefined;
    }
    const declared = contract.operations
      .filter(({ path }) => anonymous(path) === anonymous(operation.path))
      .map(({ method }) => method);
    if (declared.some((method) => method === request.method)) {
      return undefined;
    }
    const rejected = response.status >= 400;
    return {
      message: rejected
        ? `${request.method} ${operation.path} returned ${response.status} as if the path did not exist, instead of 405.`
        : `${request.method} ${operation.path} returned ${response.status} as if the method were declared.`,
      expected: `The contract declares ${declared.join(', ')} for ${operation.path}. Other methods must return 405 (RFC 9110, 15.5.6).`,
      cause: rejected
        ? `undeclared methods return ${response.status}`
        : `undeclared ${request.method} succeeds at ${operation.path}`,
    };
  },
};
