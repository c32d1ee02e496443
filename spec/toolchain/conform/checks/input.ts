import { isSecured } from '../wire/credentials.ts';
import type { Check, CheckedExchange } from './check.ts';
import { operationLine } from './location.ts';

/** Checks that invalid requests are rejected. */
export const invalidInputRejected: Check = {
  name: 'invalid-input-rejected',
  rule: 'Requests that the contract does not allow are rejected with a status from 400 to 499.',
  verify(checked) {
    const { operation, step, exchange } = checked;
    const { fault } = step;
    const status = exchange.response?.status;
    if (!fault || status === undefined || status >= 400) {
      return undefined;
    }
    if (fault.kind !== 'input' && fault.kind !== 'media-type' && !isForbiddenField(checked)) {
      return undefined;
    }
    return {
      message: `${operationLine(operation)} returned ${status} for an invalid request: ${fault.name}.`,
      expected: `The contract does not allow this for ${operation.id}. Reject it with 400 or a more specific status.`,
      cause: `accepts ${fault.name} at ${operation.id}`,
    };
  },
};

/**
 * Returns whether an undeclared input is a field that the schema of the body forbids. No other undeclared input is
 * rejected.
 */
function isForbiddenField({ operation, step: { fault, body }, schemas }: CheckedExchange): boolean {
  if (fault?.kind !== 'undeclared' || !body || !('json' in body)) {
    return false;
  }
  const schema = operation.body?.content[body.mediaType]?.schema;
  return schema !== undefined && !schemas.accepts(schema, body.json);
}

/** Statuses that mean that the request itself is invalid. Others depend on the state of resources. */
const INVALID_REQUEST_STATUSES = new Set([400, 406, 413, 415, 422]);

/** Checks that valid requests are not rejected as invalid. */
export const validInputAccepted: Check = {
  name: 'valid-input-accepted',
  rule: 'Requests that the contract allows are not rejected as invalid: 400, 406, 413, 415, 422.',
  verify({ operation, step, exchange: { response } }) {
    if (step.fault || step.caller !== 'own' || !response || !INVALID_REQUEST_STATUSES.has(response.status)) {
      return undefined;
    }
    return {
      message: `${operationLine(operation)} returned ${response.status} for a request that the contract allows.`,
      expected: `The request is valid for the parameters and the body of ${operation.id}.`,
      cause: `rejects valid input with ${response.status} at ${operation.id}`,
    };
  },
};

/** Checks that secured operations require a valid token. */
export const authentication: Check = {
  name: 'authentication',
  rule: 'Secured operations return 401 for a missing or invalid token, or 403 if they declare only that.',
  verify({ operation, step, exchange: { response } }) {
    if (step.fault?.kind !== 'authentication' || !isSecured(operation.security)) {
      return undefined;
    }
    // no-server-error reports server errors. Rate limits may apply before the token is checked.
    if (!response || response.status === 401 || response.status === 429 || response.status >= 500) {
      return undefined;
    }
    const { status } = response;
    const { responses } = operation;
    if (status >= 400 && !responses['401'] && responses[String(status)]) {
      return undefined;
    }
    // Credentials with invalid syntax may be rejected as a bad request (RFC 6750, 3.1).
    if (status === 400 && step.caller === 'malformed') {
      return undefined;
    }
    const descriptions = {
      anonymous: 'without a token',
      malformed: 'with a malformed token',
      unknown: 'with an unknown token',
    };
    const caller =
      step.caller in descriptions
        ? descriptions[step.caller as keyof typeof descriptions]
        : `of the caller "${step.caller}"`;
    const schemes = [...new Set(operation.security.flat().map(({ name }) => name))];
    return {
      message: `${operationLine(operation)} returned ${status} for a request ${caller}.`,
      expected: `${operation.id} is secured by ${schemes.join(', ')}, so it must return 401 (RFC 9110, 15.5.2).`,
      cause:
        status < 400
          ? `accepts a request ${caller} at ${operation.id}`
          : `returns ${status} for a request ${caller}`,
    };
  },
};
