import type { Caller } from '../plan/plan.ts';
import type { Send } from '../wire/exchange.ts';
import type { Entity } from './entity.ts';
import { type Event, succeeded } from './event.ts';

/** Maximum time to delete created resources. */
const CLEANUP_TIMEOUT_MS = 20_000;
/** Maximum number of remaining resources of one kind that are listed individually. */
const MAX_LISTED_RESOURCES = 10;

/** Records the created resources of a run, to delete them at the end. */
export class CreatedResources {
  readonly #send: Send;
  /** By path; those without one by the path of their creation and their identifier. */
  readonly #entities = new Map<string, { entity: Entity; caller: Caller }>();

  constructor(cleanUp: Send) {
    this.#send = cleanUp;
  }

  add(entity: Entity, caller: Caller): void {
    // Resources created without a token are deleted with one.
    const by = caller === 'second' ? caller : 'own';
    this.#entities.set(entity.address ?? `${entity.creationPath} ${entity.text}`, { entity, caller: by });
  }

  /** Removes resources that the run itself deleted. */
  removeDeleted(event: Event): void {
    const method = event.step.fault?.method ?? event.operation.method;
    if (method !== 'DELETE' || !succeeded(event)) {
      return;
    }
    this.#entities.delete(event.target);
  }

  /**
   * Deletes the recorded resources, newest first.
   * @returns resources that could not be deleted, as method and path
   */
  async clear(now: () => number = Date.now): Promise<string[]> {
    const deadline = now() + CLEANUP_TIMEOUT_MS;
    const remaining: string[] = [];
    const counts = new Map<string, number>();
    for (const [address, { entity, caller }] of [...this.#entities].reverse()) {
      const remove = entity.slot.remove;
      if (
        !remove ||
        entity.address === undefined ||
        now() > deadline ||
        !(await this.#delete(entity, address, caller))
      ) {
        this.#addRemaining(entity, address, remaining, counts);
      }
    }
    const rest = [...counts].flatMap(([path, count]) =>
      count > MAX_LISTED_RESOURCES ? [`GET ${path}: ${count - MAX_LISTED_RESOURCES} more`] : [],
    );
    return [...remaining.reverse(), ...rest];
  }

  #addRemaining({ slot }: Entity, address: string, remaining: string[], counts: Map<string, number>): void {
    const count = (counts.get(slot.path) ?? 0) + 1;
    counts.set(slot.path, count);
    if (count <= MAX_LISTED_RESOURCES) {
      remaining.push(`GET ${address}`);
    }
  }

  async #delete({ slot: { remove } }: Entity, address: string, caller: Caller): Promise<boolean> {
    try {
      const { response } = await this.#send({
        method: 'DELETE',
        target: address,
        headers: [],
        caller,
        ...(remove && { security: remove.security }),
      });
      const status = response?.status ?? 0;
      return (status >= 200 && status < 300) || status === 404 || status === 410;
    } catch {
      // Reported as a resource that could not be deleted.
      return false;
    }
  }
}
