import { isObject, type Json } from '../../../document.ts';
import type { Operation } from '../../../model/contract/contract.ts';
import { isVersionPrecondition } from '../../requests/identifier-fields.ts';
import type { Send, WireRequest } from '../../wire/exchange.ts';
import { difference } from '../checking/compare.ts';
import { GONE_STATUSES } from '../checking/resource-failure.ts';
import { type Event, succeeded } from '../event.ts';
import type { Session } from '../session.ts';
import type { Entity } from './entity.ts';

/** Maximum time to delete created resources. */
const CLEANUP_TIMEOUT_MS = 20_000;
/** Maximum number of remaining resources of one kind that are listed individually. */
const MAX_LISTED_RESOURCES = 10;

interface CreatedResource {
  /** Session that created it. */
  session: Session;
  entity: Entity;
  caller: 'own' | 'second';
  /** Response to its creation. */
  response: Json | undefined;
  /** Number of times that the server had stopped. */
  stops: number;
}

/** Creates a request of an operation to the path of a resource; returns undefined if it cannot be generated. */
type RequestAt = (
  operation: Operation,
  address: string,
  caller: 'own' | 'second',
  version: string | undefined,
) => WireRequest | undefined;

/** Records the created resources of a run, to delete them at the end. */
export class CreatedResources {
  readonly #excluded: ReadonlySet<string>;
  readonly #send: Send;
  readonly #requestAt: RequestAt;
  readonly #stops: () => number;
  /** By path; those without one by the path of their creation and their identifier. */
  readonly #entities = new Map<string, CreatedResource>();
  /** Paths of deleted resources. Their descendants are also gone. */
  readonly #deleted = new Set<string>();

  /**
   * @param excluded operations that receive no requests
   * @param stops returns the number of times that the server stopped
   * @param requestAt creates a request to the path of a resource
   */
  constructor(excluded: ReadonlySet<string>, cleanUp: Send, stops: () => number, requestAt: RequestAt) {
    this.#excluded = excluded;
    this.#requestAt = requestAt;
    this.#send = cleanUp;
    this.#stops = stops;
  }

  add(entity: Entity, session: Session, { step, exchange }: Event): void {
    this.#entities.set(entity.address ?? `${entity.creationPath} ${entity.text}`, {
      session,
      entity,
      // Resources created without a token are deleted with one.
      caller: step.caller === 'second' ? 'second' : 'own',
      response: exchange.response?.json,
      stops: this.#stops(),
    });
  }

  /** Deletes what a session created, if it can be deleted. The rest is reported at the end. */
  async release(session: Session): Promise<void> {
    for (const [address, created] of [...this.#entities].reverse()) {
      const { entity } = created;
      if (created.session !== session || !this.#removerOf(entity) || entity.address === undefined) {
        continue;
      }
      if (await this.#delete(created, address)) {
        this.#entities.delete(address);
      }
    }
    this.#removeDescendants();
  }

  /** Removes resources that were within a deleted one. */
  #removeDescendants(): void {
    for (const [key, { entity }] of this.#entities) {
      // A server may keep what has a path of its own.
      const owners = [...entity.owners.values()].map(({ address }) => address ?? '');
      if (owners.some((owner) => this.#deleted.has(owner) && entity.address?.startsWith(`${owner}/`))) {
        this.#entities.delete(key);
      }
    }
  }

  /** Removes resources that the run itself deleted. */
  removeDeleted(event: Event): void {
    const method = event.step.fault?.method ?? event.operation.method;
    if (method !== 'DELETE' || !succeeded(event)) {
      return;
    }
    this.#entities.delete(event.target);
    this.#deleted.add(event.target);
  }

  /**
   * Deletes the recorded resources, newest first.
   * @returns resources that could not be deleted, as method and path
   */
  async clear(now: () => number = Date.now): Promise<string[]> {
    const deadline = now() + CLEANUP_TIMEOUT_MS;
    const remaining: string[] = [];
    const counts = new Map<string, number>();
    for (const [address, created] of [...this.#entities].reverse()) {
      const remove = this.#removerOf(created.entity);
      if (
        remove &&
        created.entity.address !== undefined &&
        now() <= deadline &&
        (await this.#delete(created, address))
      ) {
        this.#entities.delete(address);
      }
    }
    this.#removeDescendants();
    for (const [address, { entity }] of [...this.#entities].reverse()) {
      this.#addRemaining(entity, address, remaining, counts);
    }
    const rest = [...counts].flatMap(([path, count]) =>
      count > MAX_LISTED_RESOURCES ? [`GET ${path}: ${count - MAX_LISTED_RESOURCES} more`] : [],
    );
    return [...remaining.reverse(), ...rest];
  }

  #removerOf({ slot: { remove } }: Entity): Operation | undefined {
    return remove && this.#excluded.has(remove.id) ? undefined : remove;
  }

  #addRemaining({ slot }: Entity, address: string, remaining: string[], counts: Map<string, number>): void {
    const count = (counts.get(slot.path) ?? 0) + 1;
    counts.set(slot.path, count);
    if (count <= MAX_LISTED_RESOURCES) {
      remaining.push(`GET ${address}`);
    }
  }

  async #delete(created: CreatedResource, address: string): Promise<boolean> {
    const { entity, caller } = created;
    const { read, remove } = entity.slot;
    let version: string | undefined;
    const send = async (method: string, operation: Operation | undefined) => {
      const request = operation && this.#requestAt(operation, address, caller, version);
      return await this.#send(request ?? { method, target: address, headers: [], caller });
    };
    try {
      // A server that lost its data may have given the identifier to another resource.
      if (created.stops !== this.#stops()) {
        const { response } = await send('GET', read);
        if (GONE_STATUSES.has(response?.status ?? 0)) {
          return true;
        }
        if (!read || !isUnchanged(created.response, response?.json)) {
          return false;
        }
      }
      if (read && remove?.parameters.some(isVersionPrecondition)) {
        version = (await send('GET', read)).response?.headers.etag;
      }
      const { response } = await send('DELETE', remove);
      const status = response?.status ?? 0;
      const isDeleted = (status >= 200 && status < 300) || GONE_STATUSES.has(status);
      if (isDeleted) {
        this.#deleted.add(address);
      }
      return isDeleted;
    } catch {
      // Reported as a resource that could not be deleted.
      return false;
    }
  }
}

/** Returns whether a resource has all fields of the response to its creation. */
const isUnchanged = (before: Json | undefined, after: Json | undefined): boolean =>
  isObject(before) && isObject(after) && difference(Object.keys(before), before, after) === undefined;
