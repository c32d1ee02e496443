import type { Operation } from '../contract/contract.ts';
import { anonymous, parametersOf } from './names.ts';
import type { Resources } from './resources.ts';

const READING_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND']);

/** Returns whether a method only reads (RFC 9110, 9.2.1; RFC 4918, 9.1). */
export const isReading = (method: string): boolean => READING_METHODS.has(method);

/** Returns whether an operation creates a resource instead of changing existing ones. */
export const creates = (resources: Resources, operation: Operation): boolean =>
  operation.method === 'POST' &&
  ('201' in operation.responses || resources.createdBy(operation).some(({ kind }) => kind === 'create'));

const TOUCH_EXISTING = 'Test it with --touch-existing.';

/** Reason for not testing an operation when every request was withheld. */
export const ALL_WITHHELD = `Every request could change resources that the run did not create. ${TOUCH_EXISTING}`;

/**
 * Returns why an operation is not tested: it changes resources that a run cannot have created, because its path
 * identifies none. Returns undefined for other operations.
 */
export function effectOnExisting(resources: Resources, operation: Operation): string | undefined {
  const { method, path, isSafe = false } = operation;
  if (isReading(method) || isSafe || parametersOf(path).length > 0 || creates(resources, operation)) {
    return undefined;
  }
  const effect = {
    DELETE: 'It deletes whatever exists at its path.',
    PUT: 'It replaces whatever exists at its path.',
    PATCH: 'It changes whatever exists at its path.',
  }[method as string];
  return `${effect ?? 'It is an action that may change existing resources.'} ${TOUCH_EXISTING}`;
}

/**
 * Returns whether a path parameter identifies a resource: an operation reads, changes, creates or lists it. Others, such
 * as a version or a language, may be ignored by the server.
 */
export function identifiesResource(resources: Resources, { path }: Operation, name: string): boolean {
  const segments = path.split('/');
  const at = segments.findIndex((segment) => segment.includes(`{${name}}`));
  if (at === segments.length - 1) {
    return true;
  }
  const slot = resources.slots.get(anonymous(segments.slice(0, at + 1).join('/')));
  return (
    slot !== undefined &&
    (slot.read !== undefined ||
      slot.remove !== undefined ||
      slot.updates.length > 0 ||
      resources.producersOf(slot).length > 0)
  );
}
