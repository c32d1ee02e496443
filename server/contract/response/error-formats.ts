import type { ContractError, ErrorBody } from '../errors.ts';
import { STATUS_CODES } from '../http.ts';

/**
 * Returns the body of an error response, and its media type. The contract declares the same for its errors. An object is
 * sent as JSON; a text, such as XML, as it is.
 */
export type ErrorFormat = (
  error: ContractError,
  requestId: string,
) => { contentType: string; body: object | string };

/** The default format of errors: an object `error` with status, reason, message, request ID and invalid fields. */
export const errorEnvelope: ErrorFormat = (failure, requestId) => {
  const body: ErrorBody = {
    error: {
      code: failure.status,
      reason: failure.reason,
      message: failure.message,
      requestId,
      ...(failure.details.length > 0 && { details: failure.details }),
      ...failure.fields,
    },
  };
  return { contentType: 'application/json', body };
};

/** Problem details (RFC 9457), with the members `reason`, `requestId` and, for invalid requests, `errors`. */
export const problemDetails: ErrorFormat = ({ status, reason, message, details, fields }, requestId) => ({
  contentType: 'application/problem+json',
  body: {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: message,
    reason,
    requestId,
    ...(details.length > 0 && { errors: details }),
    ...fields,
  },
});
