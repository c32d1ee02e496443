import { isObject } from '../../../document.ts';
import { anonymous } from '../../../model/plan/names.ts';
import { isSecured } from '../../wire/credentials.ts';
import type { Entity } from '../entities/entity.ts';
import type { Event, Failure } from '../event.ts';
import { succeeded } from '../event.ts';
import { objectAt, pointed } from '../resolve.ts';
import type { SessionHistory } from '../session-history.ts';
import type { Expectations } from './expectations.ts';
import { isAt } from './lists.ts';

/** Operations that are meant for users without access. */
const ACCESS_GRANTING_OPERATION =
  /(accept|join|redeem|claim|invit|subscri|public|login|sign.?(in|up)|register|oauth|token|share)/i;
/** Fields with the visibility of a resource, and values that make it public. */
const VISIBILITY_FIELD = /^(visibility|access|privacy|audience|scope|(is_?)?public|shared|published)$/i;
const PUBLIC_VALUE = /(public|open|shared|anyone|everyone|unlisted|true|world)/i;

/** Returns whether the path or id of an operation suggests that it gives other users access. */
export const grantsAccess = ({ path, id }: Event['operation']): boolean =>
  ACCESS_GRANTING_OPERATION.test(path) || ACCESS_GRANTING_OPERATION.test(id);

/** Checks that the second caller can neither access nor list resources of the first one. */
export function checkIsolation({ session, states, foreignDeletions }: Expectations, event: Event): Failure[] {
  const { operation } = event;
  if (!succeeded(event) || !isSecured(operation.security) || grantsAccess(operation)) {
    return [];
  }
  const created = session.entities.filter((entity) => !entity.isDiscovered && !isPublic(session, entity));
  const named = created.find(({ address }) => address !== undefined && isWithin(event.target, address));
  const status = event.exchange.response?.status;
  if (named && operation.method === 'DELETE') {
    // It may succeed without an effect. The effect is visible when the owner, who could read it before, reads it again.
    if (states.get(event.target)?.state === 'alive') {
      foreignDeletions.set(event.target, event.n);
    }
    return [];
  }
  if (named) {
    return [
      {
        check: 'isolation',
        fault: {
          message: `${operation.id} returned ${status} to another user for a resource of the first user.`,
          expected: 'Requests for resources of another user return 403 or 404.',
          cause: `isolation: ${operation.id}`,
        },
        at: event.n,
        involves: [named.sourceEvent],
      },
    ];
  }
  const list = session.context.resources.lists.find((candidate) => candidate.operation === operation);
  const items = list && pointed(event.exchange.response?.json, list.items.at);
  if (!list || !Array.isArray(items)) {
    return [];
  }
  const shown = created.find(
    (entity) =>
      (anonymous(operation.path) === anonymous(entity.slot.collection) || isAt(entity.creationPath, list)) &&
      items.some(
        (item) => isObject(item) && Object.values(item).some((value) => String(value) === entity.text),
      ),
  );
  return shown
    ? [
        {
          check: 'isolation',
          fault: {
            message: `${operation.id} lists a resource of the first user to another user.`,
            expected: 'Lists contain no resources of other users.',
            cause: `isolation: listed by ${operation.id}`,
          },
          at: event.n,
          involves: [shown.sourceEvent],
        },
      ]
    : [];
}

/** Checks whether a deletion by another user had an effect, when the owner reads the resource. */
export function checkForeignDeletion(
  { session, states, foreignDeletions }: Expectations,
  event: Event,
): Failure[] {
  const n = foreignDeletions.get(event.target);
  const by = n === undefined ? undefined : session.events[n]?.operation;
  const status = event.exchange.response?.status;
  if (n === undefined || !by) {
    return [];
  }
  foreignDeletions.delete(event.target);
  if (status !== 404 && status !== 410) {
    return [];
  }
  // Prevents a second failure for the same loss.
  states.delete(event.target);
  return [
    {
      check: 'isolation',
      fault: {
        message: `${by.id} deleted a resource of the first user for another user: ${event.operation.id} returned ${status}.`,
        expected: 'Requests for resources of another user return 403 or 404.',
        cause: `isolation: ${by.id}`,
      },
      at: event.n,
      involves: [n],
    },
  ];
}

const isWithin = (target: string, address: string) => target === address || target.startsWith(`${address}/`);

/** Returns whether the fields of a resource, or of its parents, make it visible to others. */
function isPublic(session: SessionHistory, entity: Entity): boolean {
  const resource = objectAt(session.events[entity.sourceEvent]?.exchange.response?.json, '');
  const open = Object.entries(resource ?? {}).some(
    ([name, value]) => VISIBILITY_FIELD.test(name) && PUBLIC_VALUE.test(String(value)),
  );
  return open || [...entity.owners.values()].some((owner) => owner !== entity && isPublic(session, owner));
}
