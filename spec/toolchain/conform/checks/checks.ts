import { declaredBody, declaredMediaType, undeclaredFields } from './body.ts';
import type { Check } from './check.ts';
import { declaredHeaders } from './headers.ts';
import { authentication, invalidInputRejected, validInputAccepted } from './input.ts';
import { allowHeader, declaredStatus, noServerError, undeclaredMethod } from './status.ts';

const singleExchangeChecks: readonly Check[] = [
  noServerError,
  declaredStatus,
  declaredHeaders,
  declaredMediaType,
  declaredBody,
  undeclaredFields,
  allowHeader,
  invalidInputRejected,
  validInputAccepted,
  authentication,
  undeclaredMethod,
];

/** All checks of single exchanges. They ignore 501, because an operation that is not implemented violates no rule. */
export const checks: readonly Check[] = singleExchangeChecks.map((check) => ({
  ...check,
  verify: (checked) => (checked.exchange.response?.status === 501 ? undefined : check.verify(checked)),
}));
