import { isPermanent } from '../../../model/plan/slots.ts';
import type { Event } from '../event.ts';
import { renumber } from '../resolve.ts';
import { type Entity, withPathOwners } from './entity.ts';

/**
 * Returns copies of the events of another session that created entities, to continue with these entities without sending
 * the requests again.
 *
 * @param session events of the adopting session. Previously adopted events are used again
 * @returns the copies, and the entities that they created
 */
export function adoptedEvents(
  events: readonly Event[],
  session: readonly Event[],
): { added: Event[]; entities: Entity[] } {
  const copies = new Map<Entity, Entity>();
  const numbers = new Map<number, number>();
  const added: Event[] = [];
  const to = (n: number) => numbers.get(n) ?? n;
  const copyOf = (entity: Entity) => copies.get(entity) ?? entity;
  const mapped = (entities: ReadonlyMap<string, Entity>) =>
    new Map([...entities].map(([noun, entity]) => [noun, copyOf(entity)]));
  for (const event of events) {
    const existing = session.find(({ exchange }) => exchange === event.exchange);
    if (existing) {
      numbers.set(event.n, existing.n);
      for (const [at, entity] of event.created.entries()) {
        copies.set(entity, existing.created[at] ?? entity);
      }
      continue;
    }
    numbers.set(event.n, session.length + added.length);
    const created = event.created.map((entity): Entity => {
      const { value } = entity;
      const copy: Entity = {
        ...entity,
        value: typeof value === 'string' ? value : { step: to(value.step), from: value.from },
        sourceEvent: to(entity.sourceEvent),
        owners: mapped(withPathOwners(entity).owners),
        uses: entity.uses.map(copyOf),
        // The session that created the others has deleted them, or will.
        exists: isPermanent(entity.slot),
        altered: false,
        changeCount: 0,
        isShared: true,
      };
      copies.set(entity, copy);
      return copy;
    });
    // Without its draw, so that shrinking does not change it.
    const { draw: _, ...rest } = event;
    added.push({
      ...rest,
      n: to(event.n),
      step: renumber(event.step, to),
      env: mapped(event.env),
      uses: event.uses.map(copyOf),
      created,
      failures: [],
      isAdopted: true,
    });
  }
  return { added, entities: added.flatMap(({ created }) => created) };
}
