import type { Check, Moment } from './check.ts';
import { declaredAnswer } from './declared.ts';
import { lineOf } from './place.ts';

/** Whether a request keeps to its operation's method: with another one, nothing that is declared speaks for the answer. */
export const isOfOperation = ({ step, operation }: Moment): boolean =>
  step.fault?.method === undefined || step.fault.method === operation.method;

/** Servers answer whatever they get, and do not break. */
export const noServerError: Check = {
  name: 'no-server-error',
  asks: 'Nothing is answered by a status from 500 on, but for 501, nor by a broken connection or not at all.',
  judge({ operation, step, exchange: { answer, failure } }) {
    const to = step.fault ? 'a bad request' : 'a good request';
    const says = 'A server refuses what it cannot take with a status from 400 to 499 (RFC 9110, 15.5).';
    if (!answer) {
      const message = `${lineOf(operation)} got no answer to ${to}: ${failure ?? 'nothing came.'}`;
      return { message, says, cause: `no answer at ${operation.id}` };
    }
    if (answer.status < 500) return undefined;
    const message = `${lineOf(operation)} answered ${to} with ${answer.status}.`;
    return { message, says, cause: `status ${answer.status} at ${operation.id}` };
  },
};

/** Statuses are those of the contract. */
export const declaredStatus: Check = {
  name: 'declared-status',
  asks: 'The contract declares every status that is answered: itself, by its range, or by default.',
  judge(moment) {
    const { operation, exchange } = moment;
    const status = exchange.answer?.status;
    // What breaks is told by no-server-error alone.
    if (status === undefined || status >= 500 || !isOfOperation(moment)) return undefined;
    if (declaredAnswer(operation, status)) return undefined;
    return {
      message: `${lineOf(operation)} answered ${status}, which the contract does not declare.`,
      says: `${operation.id} declares ${Object.keys(operation.answers).join(', ') || 'no status'}.`,
      // Refusals come out of what all operations of a server share.
      cause: status >= 400 ? `undeclared status ${status}` : `undeclared status ${status} of ${operation.id}`,
    };
  },
};

/** 405 tells what there is instead (RFC 9110, 15.5.6). */
export const allow: Check = {
  name: 'allow',
  asks: 'An answer of 405 carries Allow, with every method that the contract declares for the path.',
  judge({ contract, operation, exchange: { answer, request } }) {
    if (answer?.status !== 405) return undefined;
    const declared = contract.operations
      .filter(({ path }) => path === operation.path)
      .map(({ method }) => method);
    const says = `The contract declares ${declared.join(', ')} for ${operation.path}; 405 has to list them (RFC 9110, 15.5.6).`;
    const header = answer.headers.allow;
    if (header === undefined) {
      const message = `${request.method} ${operation.path} was answered 405 without the header Allow.`;
      return { message, says, cause: '405 without Allow' };
    }
    const listed = header.split(',').map((method) => method.trim());
    const missing = declared.filter((method) => !listed.includes(method));
    if (missing.length > 0) {
      const message = `405 for ${operation.path} came with "Allow: ${header}", which leaves out ${missing.join(', ')}.`;
      return { message, says, cause: `Allow of ${operation.path} leaves out ${missing.join(', ')}` };
    }
    if (!listed.includes(request.method)) return undefined;
    const message = `${request.method} ${operation.path} was answered 405, and "Allow: ${header}" lists it.`;
    return { message, says, cause: `Allow of ${operation.path} lists what is answered 405` };
  },
};

/** Methods that the server may add to each path on its own. */
const OWN = new Set(['OPTIONS', 'HEAD']);
/** 400 and 501 suit methods that nobody knows; authentication and limits may come first (RFC 9110, 15.6.2). */
const REFUSALS = new Set([405, 501, 400, 401, 403, 429]);

/** A path that exists refuses methods that it has not. */
export const method: Check = {
  name: 'method',
  asks: 'A method that the contract does not declare for a path is answered 405, or 501 where no path has it.',
  judge({ contract, operation, step, exchange: { answer, request } }) {
    if (step.fault?.kind !== 'method' || !answer || answer.status >= 500 || OWN.has(request.method))
      return undefined;
    if (REFUSALS.has(answer.status)) return undefined;
    const declared = contract.operations
      .filter(({ path }) => path === operation.path)
      .map((one) => one.method);
    if (declared.some((one) => one === request.method)) return undefined;
    const refused = answer.status >= 400;
    return {
      message: refused
        ? `${request.method} ${operation.path} was answered ${answer.status} as if the path were not there, rather than 405.`
        : `${request.method} ${operation.path} was answered ${answer.status}, as if the method were declared.`,
      says: `The contract declares ${declared.join(', ')} for ${operation.path}, so others are answered 405 (RFC 9110, 15.5.6).`,
      cause: refused
        ? `undeclared methods answered ${answer.status}`
        : `undeclared ${request.method} answered as a success at ${operation.path}`,
    };
  },
};
