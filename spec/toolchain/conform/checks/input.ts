import { isSecured } from '../wire/credentials.ts';
import type { Check, Moment } from './check.ts';
import { lineOf } from './place.ts';

/** What is outside of the contract is refused. */
export const badInputRefused: Check = {
  name: 'bad-input-refused',
  asks: 'A request that the contract does not allow is answered by a status from 400 to 499.',
  judge(moment) {
    const { operation, step, exchange } = moment;
    const { fault } = step;
    const status = exchange.answer?.status;
    if (!fault || status === undefined || status >= 400) return undefined;
    if (fault.kind !== 'input' && fault.kind !== 'media-type' && !isForbiddenField(moment)) return undefined;
    return {
      message: `${lineOf(operation)} answered ${status} to a request with a fault: ${fault.name}.`,
      says: `The contract does not allow it for ${operation.id}, so it is to be refused, with 400 or a status that says more.`,
      cause: `accepts ${fault.name} at ${operation.id}`,
    };
  },
};

/** Of what is not declared, only a field that the schema of the body does not let in is to be refused. */
function isForbiddenField({ operation, step: { fault, body }, schemas }: Moment): boolean {
  if (fault?.kind !== 'undeclared' || !body || !('json' in body)) return false;
  const schema = operation.body?.content[body.mediaType]?.schema;
  return schema !== undefined && !schemas.accepts(schema, body.json);
}

/** Refusals that say that the request itself is wrong; others are about the state of things. */
const BLAMING = new Set([400, 406, 413, 415, 422]);

/** What is within the contract is not refused as wrong. */
export const goodInputAccepted: Check = {
  name: 'good-input-accepted',
  asks: 'A request that the contract allows is not refused as a wrong one: 400, 406, 413, 415, 422.',
  judge({ operation, step, exchange: { answer } }) {
    if (step.fault || step.caller !== 'own' || !answer || !BLAMING.has(answer.status)) return undefined;
    return {
      message: `${lineOf(operation)} answered ${answer.status} to a request that the contract allows.`,
      says: `All that was sent is valid by the parameters and the body of ${operation.id}.`,
      cause: `refuses good input with ${answer.status} at ${operation.id}`,
    };
  },
};

/** Who has no valid token gets in nowhere. */
export const authentication: Check = {
  name: 'authentication',
  asks: 'A secured operation answers 401 to who has no token or a wrong one; 403 where it declares only that.',
  judge({ operation, step, exchange: { answer } }) {
    if (step.fault?.kind !== 'authentication' || !isSecured(operation.security)) return undefined;
    // Breaking is told by no-server-error; limits may come before the token is looked at.
    if (!answer || answer.status === 401 || answer.status === 429 || answer.status >= 500) return undefined;
    const { status } = answer;
    const { answers } = operation;
    if (status >= 400 && !answers['401'] && answers[String(status)]) return undefined;
    // Credentials that break the grammar may be called a bad request (RFC 6750, 3.1).
    if (status === 400 && step.caller === 'malformed') return undefined;
    const whom = {
      nobody: 'without a token',
      malformed: 'with a malformed token',
      unknown: 'with a token that nobody issued',
    };
    const who =
      step.caller in whom ? whom[step.caller as keyof typeof whom] : `of the caller "${step.caller}"`;
    const schemes = [...new Set(operation.security.flat().map(({ name }) => name))];
    return {
      message: `${lineOf(operation)} answered ${status} to a request ${who}.`,
      says: `${operation.id} is secured by ${schemes.join(', ')}, so it answers 401 (RFC 9110, 15.5.2).`,
      cause:
        status < 400
          ? `lets in a request ${who} at ${operation.id}`
          : `answers ${status} to a request ${who}`,
    };
  },
};
