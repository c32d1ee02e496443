import type { JsonObject } from '../../document.ts';
import type { Operation } from '../../model/contract/contract.ts';
import { anonymous } from '../../model/plan/names.ts';
import { isPermanent } from '../../model/plan/slots.ts';
import { WritableFields } from '../../model/plan/writes.ts';
import type { Entity } from './entity.ts';
import type { Event, Failure } from './event.ts';
import { succeeded } from './event.ts';
import { checkForeignDeletion, checkIsolation } from './isolation.ts';
import { ListChecker } from './lists.ts';
import { checkRead } from './reads.ts';
import { objectAt } from './resolve.ts';
import type { Session } from './session.ts';
import { checkWrite } from './writes.ts';
import type { WrittenFields } from './written-values.ts';

/** Expected state of the resource at a path. */
export interface ResourceState {
  /** Operation that reads it. */
  read: Operation;
  state: 'alive' | 'gone';
  /** Event that caused this state. */
  since: number;
  /** Event of a successful read without a later change, regardless of its result. */
  lastRead?: number;
  /** Value last returned, without a later change. */
  lastValue?: { n: number; value: JsonObject };
  /** Fields that the next read must return. */
  lastWrite?: { n: number; check: 'read-after-create' | 'read-after-update'; written: WrittenFields[] };
  /** Fields that a patch omitted, until the next read returns them. */
  unpatched?: { n: number; before: number; fields: JsonObject };
}

const writesOf = new WeakMap<object, WritableFields>();

/** Checks the events of a session against each other. */
export class SessionChecker {
  readonly session: Session;
  readonly states = new Map<string, ResourceState>();
  readonly writes: WritableFields;
  /** Paths of successful deletions by the second user, with the event. */
  readonly foreignDeletions = new Map<string, number>();
  readonly #lists: ListChecker;

  constructor(session: Session) {
    this.session = session;
    this.#lists = new ListChecker(session);
    const { resources } = session.context;
    const writes = writesOf.get(resources) ?? new WritableFields(resources);
    writesOf.set(resources, writes);
    this.writes = writes;
  }

  /** Checks an event against earlier ones, and records its effects. */
  check(event: Event): Failure[] {
    const { exchange, step } = event;
    const status = exchange.response?.status;
    if (status === undefined || status >= 500) {
      return this.#changed(event, []);
    }
    // The checks of single exchanges already reported it.
    const broken = event.failures.length > 0 && !succeeded(event);
    const method = step.fault?.method ?? event.operation.method;
    const reads = method === 'GET' || method === 'HEAD';
    const failures: Failure[] = [];
    if (step.caller === 'second') {
      failures.push(...checkIsolation(this, event));
    } else if (step.caller === 'own' && !step.fault && !broken) {
      if (reads) {
        failures.push(
          ...checkForeignDeletion(this, event),
          ...checkRead(this, event),
          ...this.#lists.check(event),
        );
      } else {
        failures.push(...checkWrite(this, event));
      }
    }
    const remaining = failures.filter(({ check }) => !this.session.context.excludedChecks.has(check));
    return reads ? remaining : this.#changed(event, remaining);
  }

  /** Forgets all expectations. */
  forget(): void {
    this.states.clear();
    this.foreignDeletions.clear();
    this.#lists.reset();
  }

  /** Returns the operation that reads the resource at a path. */
  readAt(path: string): Operation | undefined {
    const { resources } = this.session.context;
    const key = anonymous(path);
    const list = resources.lists.some(({ operation }) => anonymous(operation.path) === key);
    return list
      ? undefined
      : resources.contract.operations.find(
          (candidate) => candidate.method === 'GET' && anonymous(candidate.path) === key,
        );
  }

  /** Returns the resource in a response, and its location. */
  returnedResource(event: Event): { at: string; value: JsonObject } | undefined {
    const { resources } = this.session.context;
    const status = String(event.exchange.response?.status);
    const responses = resources.shapes.successes(event.operation);
    const response = responses.find((candidate) => candidate.status === status) ?? responses[0];
    const part = response && resources.shapes.entity(response.schema, '');
    const value = part && objectAt(event.exchange.response?.json, part.at);
    return part && value ? { at: part.at, value } : undefined;
  }

  /** Discards states that a change may have affected. */
  #changed(event: Event, failures: Failure[]): Failure[] {
    const status = event.exchange.response?.status;
    // A rejected request changes nothing. The effect of a broken connection is unknown.
    if (status !== undefined && status < 500 && !succeeded(event)) {
      return failures;
    }
    this.#lists.reset();
    const method = event.step.fault?.method ?? event.operation.method;
    const changedAddresses = new Set([event.target, ...event.created.map(({ address }) => address)]);
    for (const [address, state] of this.states) {
      if (changedAddresses.has(address) && !event.step.fault && succeeded(event)) {
        continue;
      }
      delete state.lastRead;
      delete state.lastValue;
      delete state.lastWrite;
      delete state.unpatched;
      const within = address.startsWith(`${event.target}/`) || address === event.target;
      if (within && (method === 'DELETE' || event.step.fault)) {
        this.states.delete(address);
      }
      // An action on a resource, or on a descendant, may delete it.
      else if (
        event.created.length === 0 &&
        !changedAddresses.has(address) &&
        event.target.startsWith(`${address}/`)
      ) {
        this.states.delete(address);
      }
    }
    for (const entity of this.session.entities) {
      this.#touch(entity, event, method);
    }
    return failures;
  }

  #touch(entity: Entity, event: Event, method: string): void {
    const { address } = entity;
    if (event.created.includes(entity)) {
      return;
    }
    const named = event.uses.includes(entity);
    const at = address !== undefined && (event.target === address || event.target.startsWith(`${address}/`));
    if (at || named) {
      entity.changeCount += 1;
    }
    if (method === 'DELETE' && event.step.caller !== 'own') {
      // The next read of the owner shows whether it is deleted.
      if (at || dependsOn(entity, event)) {
        entity.altered = true;
      }
      return;
    }
    if (method === 'DELETE') {
      const isDeleted =
        address !== undefined && (address === event.target || address.startsWith(`${event.target}/`));
      const last = this.session.context.resources.slotsOf(event.operation).at(-1);
      const deleted = last && event.env.get(last.noun);
      if (isDeleted || dependsOn(entity, event)) {
        entity.exists = false;
      }
      // The deleted resource may be the one that gives the caller access to its siblings. What nothing deletes is replaced
      // only if it is rejected.
      else if (
        deleted?.isDiscovered &&
        !isPermanent(entity.slot) &&
        [...deleted.owners.values()].some(
          (candidate) => candidate === entity || entity.owners.get(candidate.slot.noun) === candidate,
        )
      ) {
        entity.exists = false;
      }
      return;
    }
    if ((at || named) && event.created.length === 0) {
      entity.altered = true;
    }
  }
}

/** Returns whether a resource is a descendant of one in the path of an event, or was created with it. */
function dependsOn(entity: Entity, { operation, target, env }: Event): boolean {
  if (!operation.path.endsWith('}')) {
    return false;
  }
  return [...env.values()].some(
    (owner) =>
      owner.address === target &&
      (entity.owners.get(owner.slot.noun) === owner || entity.uses.includes(owner)),
  );
}
