import type { HttpMethod, OperationObject } from '../document.ts';

/** Statuses of responses without a body (RFC 9110, section 6.4.1). */
const BODILESS = /^(?:204|205|304)$/;

/** Returns an operation without the bodies of responses that HTTP sends without one, even if it declares them. */
export function withoutImpossibleBodies(method: HttpMethod, operation: OperationObject): OperationObject {
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const { content, ...bodiless } = response;
    return [status, method === 'head' || BODILESS.test(status) ? bodiless : response];
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}
