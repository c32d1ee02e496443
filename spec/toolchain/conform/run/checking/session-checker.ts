import { isPermanent } from '../../../model/plan/slots.ts';
import type { Entity } from '../entities/entity.ts';
import type { Event, Failure } from '../event.ts';
import { succeeded } from '../event.ts';
import type { SessionHistory } from '../session-history.ts';
import { Expectations } from './expectations.ts';
import { checkForeignDeletion, checkIsolation } from './isolation.ts';
import { ListChecker } from './lists.ts';
import { checkRead } from './reads.ts';
import { checkWrite } from './writes.ts';

/** Checks the events of a session against each other. */
export class SessionChecker {
  readonly #session: SessionHistory;
  readonly #expectations: Expectations;
  readonly #lists: ListChecker;

  constructor(session: SessionHistory) {
    this.#session = session;
    this.#expectations = new Expectations(session);
    this.#lists = new ListChecker(session);
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
      failures.push(...checkIsolation(this.#expectations, event));
    } else if (step.caller === 'own' && !step.fault && !broken) {
      if (reads) {
        failures.push(
          ...checkForeignDeletion(this.#expectations, event),
          ...checkRead(this.#expectations, event),
          ...this.#lists.check(event),
        );
      } else {
        failures.push(...checkWrite(this.#expectations, event));
      }
    }
    const remaining = failures.filter(({ check }) => !this.#session.context.excludedChecks.has(check));
    return reads ? remaining : this.#changed(event, remaining);
  }

  /** Forgets all expectations. */
  forget(): void {
    this.#expectations.forget();
    this.#lists.reset();
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
    const { states } = this.#expectations;
    for (const [address, state] of states) {
      if (changedAddresses.has(address) && !event.step.fault && succeeded(event)) {
        continue;
      }
      delete state.lastRead;
      delete state.lastValue;
      delete state.lastWrite;
      delete state.unpatched;
      const within = address.startsWith(`${event.target}/`) || address === event.target;
      if (within && (method === 'DELETE' || event.step.fault)) {
        states.delete(address);
      }
      // An action on a resource, or on a descendant, may delete it.
      else if (
        event.created.length === 0 &&
        !changedAddresses.has(address) &&
        event.target.startsWith(`${address}/`)
      ) {
        states.delete(address);
      }
    }
    for (const entity of this.#session.entities) {
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
      const last = this.#session.context.resources.slotsOf(event.operation).at(-1);
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
