import { AsyncLocalStorage } from 'node:async_hooks';
import type { Replica } from './replica.ts';

/** Where the reads of a unit of work, such as a request, are executed; the primary without a replica. */
interface Place {
  replica: Replica | undefined;
}

const places = new AsyncLocalStorage<Place>();

/** Returns the replica that executes the reads of the current unit of work; undefined for the primary. */
export const currentReplica = (): Replica | undefined => places.getStore()?.replica;

/** Lets the primary execute the further reads of the unit of work, which then see what it writes. */
export function leaveReplica(): void {
  const place = places.getStore();
  if (place) {
    place.replica = undefined;
  }
}

/** Runs a unit of work, whose reads outside transactions are executed by a replica. */
export async function readFrom<T>(replica: Replica, work: () => Promise<T>): Promise<T> {
  const place: Place = { replica };
  try {
    return await places.run(place, work);
  } finally {
    // Timers that it started outlive it.
    place.replica = undefined;
  }
}
