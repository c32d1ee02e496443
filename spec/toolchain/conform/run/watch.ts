import type { JsonObject } from '../../document.ts';
import type { Operation } from '../contract/contract.ts';
import { anonymous } from '../plan/names.ts';
import { Writes } from '../plan/writes.ts';
import type { Event, Failure } from './event.ts';
import { judgeIsolation, judgeTaken } from './isolation.ts';
import { ListWatch } from './lists.ts';
import { judgeRead, judgeWrite } from './reads.ts';
import { objectAt, type Session, succeeded } from './session.ts';
import type { Thing } from './thing.ts';

/** What is known of what stands at a path. */
export interface Known {
  /** The operation that shows it. */
  read: Operation;
  state: 'alive' | 'gone';
  /** The event that brought it into this state. */
  since: number;
  /** The event of a look that found it, whatever it showed, and nothing changed since. */
  found?: number;
  /** What it was when it was shown last, and nothing changed since. */
  shown?: { n: number; value: JsonObject };
  /** What the next look has to show. */
  written?: { n: number; check: 'read-after-write' | 'update-then-read'; fields: JsonObject };
  /** What a patch left alone, while the next look has yet to show it. */
  kept?: { n: number; before: number; fields: JsonObject };
}

const writesOf = new WeakMap<object, Writes>();

/** Sees the events of a session one after the other, and judges what they say of each other. */
export class Watcher {
  readonly session: Session;
  readonly known = new Map<string, Known>();
  readonly writes: Writes;
  /** Paths at which somebody else's deletion was answered with a success, with the event. */
  readonly taken = new Map<string, number>();
  readonly #lists: ListWatch;

  constructor(session: Session) {
    this.session = session;
    this.#lists = new ListWatch(session);
    const { resources } = session.ground;
    const writes = writesOf.get(resources) ?? new Writes(resources);
    writesOf.set(resources, writes);
    this.writes = writes;
  }

  /** Judges an event by those before it, and remembers what it tells. */
  see(event: Event): Failure[] {
    const { exchange, step } = event;
    const status = exchange.answer?.status;
    if (status === undefined || status >= 500) return this.#changed(event, []);
    // What is told of the answer alone says the same thing first.
    const broken = event.failures.length > 0 && !succeeded(event);
    const method = step.fault?.method ?? event.operation.method;
    const reads = method === 'GET' || method === 'HEAD';
    const failures: Failure[] = [];
    if (step.caller === 'second') failures.push(...judgeIsolation(this, event));
    else if (step.caller === 'own' && !step.fault && !broken) {
      if (reads)
        failures.push(...judgeTaken(this, event), ...judgeRead(this, event), ...this.#lists.see(event));
      else failures.push(...judgeWrite(this, event));
    }
    const kept = failures.filter(({ check }) => !this.session.ground.leaveOut.has(check));
    return reads ? kept : this.#changed(event, kept);
  }

  /** The operation that shows what stands at an operation's path, or at the path of what it makes. */
  readAt(path: string): Operation | undefined {
    const { resources } = this.session.ground;
    const key = anonymous(path);
    const list = resources.lists.some(({ operation }) => anonymous(operation.path) === key);
    return list
      ? undefined
      : resources.contract.operations.find((one) => one.method === 'GET' && anonymous(one.path) === key);
  }

  /** The object that an operation's answer shows. */
  shown(event: Event): { at: string; value: JsonObject } | undefined {
    const { resources } = this.session.ground;
    const status = String(event.exchange.answer?.status);
    const answers = resources.shapes.successes(event.operation);
    const answer = answers.find((one) => one.status === status) ?? answers[0];
    const part = answer && resources.shapes.thing(answer.schema, '');
    const value = part && objectAt(event.exchange.answer?.json, part.at);
    return part && value ? { at: part.at, value } : undefined;
  }

  /** Forgets what a change may have touched. */
  #changed(event: Event, failures: Failure[]): Failure[] {
    const status = event.exchange.answer?.status;
    // A refusal changes nothing; of a broken connection nobody knows.
    if (status !== undefined && status < 500 && !succeeded(event)) return failures;
    this.#lists.disturb();
    const method = event.step.fault?.method ?? event.operation.method;
    const own = new Set([event.target, ...event.made.map(({ address }) => address)]);
    for (const [address, known] of this.known) {
      if (own.has(address) && !event.step.fault && succeeded(event)) continue;
      delete known.found;
      delete known.shown;
      delete known.written;
      delete known.kept;
      const within = address.startsWith(`${event.target}/`) || address === event.target;
      if (within && (method === 'DELETE' || event.step.fault)) this.known.delete(address);
      // An action on a thing, or on something in it, may be its end.
      else if (event.made.length === 0 && !own.has(address) && event.target.startsWith(`${address}/`))
        this.known.delete(address);
    }
    for (const thing of this.session.things) this.#touch(thing, event, method);
    return failures;
  }

  #touch(thing: Thing, event: Event, method: string): void {
    const { address } = thing;
    if (event.made.includes(thing)) return;
    const named = event.uses.includes(thing);
    const at = address !== undefined && (event.target === address || event.target.startsWith(`${address}/`));
    if (at || named) thing.wear += 1;
    if (method === 'DELETE' && event.step.caller !== 'own') {
      // Whether it is gone indeed shows when its owner looks.
      if (at || hangsOn(thing, event)) thing.altered = true;
      return;
    }
    if (method === 'DELETE') {
      const gone =
        address !== undefined && (address === event.target || address.startsWith(`${event.target}/`));
      const last = this.session.ground.resources.slotsOf(event.operation).at(-1);
      const lost = last && event.env.get(last.noun);
      if (gone || hangsOn(thing, event)) thing.alive = false;
      // What was found may be what gives the caller access to all else there.
      else if (
        lost?.found &&
        [...lost.owners.values()].some((one) => one === thing || thing.owners.get(one.slot.noun) === one)
      )
        thing.alive = false;
      return;
    }
    if ((at || named) && event.made.length === 0) thing.altered = true;
  }
}

/** Whether a thing belongs to what an operation's path names, or was made with it. */
function hangsOn(thing: Thing, { operation, target, env }: Event): boolean {
  if (!operation.path.endsWith('}')) return false;
  return [...env.values()].some(
    (owner) =>
      owner.address === target && (thing.owners.get(owner.slot.noun) === owner || thing.uses.includes(owner)),
  );
}
