import type { Operation } from '../contract/contract.ts';
import { anonymous } from '../plan/names.ts';
import { randomOf, seedOf } from './draw.ts';
import type { Engine } from './engine.ts';
import type { Event } from './event.ts';
import type { Scope } from './phases.ts';
import { repeat } from './relations.ts';
import { succeeded } from './session.ts';
import type { Manner } from './supply.ts';

/** The most requests of one sequence, beside those that make what it needs. */
const LONGEST = 12;

/**
 * A few requests at random on things that belong together, in a session of their own.
 *
 * @param number tells sequences apart
 */
export async function sequence(engine: Engine, scope: Scope, number: number): Promise<void> {
  const random = randomOf(seedOf(engine.options.seed, `sequence ${number}`));
  const any = <Item>(some: readonly Item[]): Item | undefined => some[Math.floor(random() * some.length)];
  const open = engine.resources.contract.operations.filter(
    (operation) => engine.isOpen(operation) && scope.chosen.has(operation.id),
  );
  const theme = any(open);
  if (!theme) return;
  const near = open.filter((operation) => belongTogether(theme, operation));
  const supply = engine.session(`sequence ${number}`);
  const length = 3 + Math.floor(random() * (LONGEST - 2));
  let last: Event | undefined;
  for (let count = 0; count < length; count += 1) {
    const operation = any(random() < 0.85 ? near : open) ?? theme;
    if (!engine.isOpen(operation)) continue;
    engine.update('sequences', operation.id);
    const again = last && random() < 0.5 ? followUp(open, last, random) : undefined;
    if (again && last) {
      await repeat(supply, again, last);
      last = undefined;
      continue;
    }
    const manner: Manner =
      random() < 0.7 ? { parts: (requests, given) => requests.good(given), ample: random() < 0.5 } : {};
    const event = await supply.request(operation, manner);
    last = event && operation.method !== 'GET' && succeeded(event) ? event : undefined;
  }
  await engine.settle();
}

/** Whether two operations are about the same things: one path leads to the other, or both to things of one list. */
function belongTogether(one: Operation, other: Operation): boolean {
  const [a, b] = [anonymous(one.path), anonymous(other.path)];
  const stem = (path: string) => path.replace(/(\/[^{}/]+)?(\/\{\})?$/, '');
  return a.startsWith(b) || b.startsWith(a) || stem(a) === stem(b);
}

/** What shows what a change came to: the same thing read again, or deleted once more. */
function followUp(
  open: readonly Operation[],
  { operation }: Event,
  random: () => number,
): Operation | undefined {
  const at = open.filter((one) => anonymous(one.path) === anonymous(operation.path));
  const read = at.find(({ method }) => method === 'GET');
  if (operation.method !== 'DELETE') return read;
  // What acts on a thing may bring it back.
  const actions = open.filter(
    ({ method, path, body }) =>
      method === 'POST' &&
      !body?.required &&
      path.startsWith(`${operation.path}/`) &&
      // What acts on something in it needs that to be named.
      !path.slice(operation.path.length).includes('{'),
  );
  const all = [read ?? operation, operation, ...actions];
  return all[Math.floor(random() * all.length)];
}
