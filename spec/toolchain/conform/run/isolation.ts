import { isObject } from '../../document.ts';
import { anonymous } from '../plan/names.ts';
import { isSecured } from '../wire/credentials.ts';
import type { Event, Failure } from './event.ts';
import { isAt } from './lists.ts';
import { pointed } from './resolve.ts';
import { objectAt, type Session, succeeded } from './session.ts';
import type { Thing } from './thing.ts';
import type { Watcher } from './watch.ts';

/** Operations by which somebody from outside is meant to come in. */
const OPEN_DOORS =
  /(accept|join|redeem|claim|invit|subscri|public|login|sign.?(in|up)|register|oauth|token|share)/i;
/** Fields that say who can see a thing, and values by which everybody can. */
const VISIBILITY = /^(visibility|access|privacy|audience|scope|(is_?)?public|shared|published)$/i;
const OPEN = /(public|open|shared|anyone|everyone|unlisted|true|world)/i;

/** Whether somebody else may be let in by an operation, by its path or its name. */
export const isOpenDoor = ({ path, id }: Event['operation']): boolean =>
  OPEN_DOORS.test(path) || OPEN_DOORS.test(id);

/** Judges what a second caller came by: neither the things of the first one, nor that there are any. */
export function judgeIsolation({ session, known, taken }: Watcher, event: Event): Failure[] {
  const { operation } = event;
  if (!succeeded(event) || !isSecured(operation.security) || isOpenDoor(operation)) return [];
  const made = session.things.filter((thing) => !thing.found && !isOpen(session, thing));
  const named = made.find(({ address }) => address !== undefined && isWithin(event.target, address));
  const status = event.exchange.answer?.status;
  if (named && operation.method === 'DELETE') {
    // It may say so without having found anything: what it did shows when the owner looks, who saw it there before.
    if (known.get(event.target)?.state === 'alive') taken.set(event.target, event.n);
    return [];
  }
  if (named)
    return [
      {
        check: 'isolation',
        fault: {
          message: `${operation.id} answers ${status} to somebody else's token for a thing that is not theirs.`,
          expected: 'What one caller made is not there for another, who gets 403 or 404.',
          cause: `isolation: ${operation.id}`,
        },
        at: event.n,
        involves: [named.maker],
      },
    ];
  const list = session.ground.resources.lists.find((one) => one.operation === operation);
  const items = list && pointed(event.exchange.answer?.json, list.items.at);
  if (!list || !Array.isArray(items)) return [];
  const shown = made.find(
    (thing) =>
      (anonymous(operation.path) === anonymous(thing.slot.collection) || isAt(thing.madeAt, list)) &&
      items.some(
        (item) => isObject(item) && Object.values(item).some((value) => String(value) === thing.text),
      ),
  );
  return shown
    ? [
        {
          check: 'isolation',
          fault: {
            message: `${operation.id} lists to somebody else what is not theirs.`,
            expected: 'What one caller made is not in the lists of another.',
            cause: `isolation: listed by ${operation.id}`,
          },
          at: event.n,
          involves: [shown.maker],
        },
      ]
    : [];
}

/** Judges what an owner finds after somebody else's deletion. */
export function judgeTaken({ session, known, taken }: Watcher, event: Event): Failure[] {
  const n = taken.get(event.target);
  const by = n === undefined ? undefined : session.events[n]?.operation;
  const status = event.exchange.answer?.status;
  if (n === undefined || !by) return [];
  taken.delete(event.target);
  if (status !== 404 && status !== 410) return [];
  // What is told here is not told as lost, too.
  known.delete(event.target);
  return [
    {
      check: 'isolation',
      fault: {
        message: `${by.id} deleted with somebody else's token what is not theirs: ${event.operation.id} answers ${status}.`,
        expected: 'What one caller made is not there for another, who gets 403 or 404.',
        cause: `isolation: ${by.id}`,
      },
      at: event.n,
      involves: [n],
    },
  ];
}

const isWithin = (target: string, address: string) => target === address || target.startsWith(`${address}/`);

/** Whether a thing, or what it belongs to, says itself that others can see it. */
function isOpen(session: Session, thing: Thing): boolean {
  const answer = objectAt(session.events[thing.maker]?.exchange.answer?.json, '');
  const open = Object.entries(answer ?? {}).some(
    ([name, value]) => VISIBILITY.test(name) && OPEN.test(String(value)),
  );
  return open || [...thing.owners.values()].some((owner) => owner !== thing && isOpen(session, owner));
}
