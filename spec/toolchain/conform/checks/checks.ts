import { declaredBody, declaredMediaType, undeclaredFields } from './body.ts';
import type { Check } from './check.ts';
import { declaredHeaders } from './headers.ts';
import { authentication, badInputRefused, goodInputAccepted } from './input.ts';
import { allow, declaredStatus, method, noServerError } from './status.ts';

const all: readonly Check[] = [
  noServerError,
  declaredStatus,
  declaredHeaders,
  declaredMediaType,
  declaredBody,
  undeclaredFields,
  allow,
  badInputRefused,
  goodInputAccepted,
  authentication,
  method,
];

/** Every rule over one exchange. None of them judges 501: what is not implemented breaks no rule. */
export const checks: readonly Check[] = all.map((check) => ({
  ...check,
  judge: (moment) => (moment.exchange.answer?.status === 501 ? undefined : check.judge(moment)),
}));
