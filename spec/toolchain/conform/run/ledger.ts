import type { Caller } from '../plan/plan.ts';
import type { Send } from '../wire/exchange.ts';
import type { Event } from './event.ts';
import { succeeded } from './session.ts';
import type { Thing } from './thing.ts';

/** So long it may take to delete what a run made, in milliseconds. */
const PATIENCE = 20_000;
/** So many things of one kind that stay are told one by one. */
const MOST = 10;

/** Remembers what a run made, to delete it at the end. */
export class Ledger {
  readonly #send: Send;
  /** By address; those without one by a number. */
  readonly #things = new Map<string, { thing: Thing; caller: Caller }>();

  constructor(cleanUp: Send) {
    this.#send = cleanUp;
  }

  made(thing: Thing, caller: Caller): void {
    // What was made without a token has to be deleted with one.
    const by = caller === 'second' ? caller : 'own';
    this.#things.set(thing.address ?? `${thing.madeAt} ${thing.text}`, { thing, caller: by });
  }

  /** Sees what is deleted on the way. */
  see(event: Event): void {
    const method = event.step.fault?.method ?? event.operation.method;
    if (method !== 'DELETE' || !succeeded(event)) return;
    this.#things.delete(event.target);
  }

  /**
   * Deletes what is left, the newest first.
   * @returns what stays, as method and path
   */
  async clear(now: () => number = Date.now): Promise<string[]> {
    const until = now() + PATIENCE;
    const stays: string[] = [];
    const more = new Map<string, number>();
    for (const [address, { thing, caller }] of [...this.#things].reverse()) {
      const remove = thing.slot.remove;
      if (
        !remove ||
        thing.address === undefined ||
        now() > until ||
        !(await this.#delete(thing, address, caller))
      )
        this.#stay(thing, address, stays, more);
    }
    const rest = [...more].flatMap(([path, count]) =>
      count > MOST ? [`GET ${path}: ${count - MOST} more`] : [],
    );
    return [...stays.reverse(), ...rest];
  }

  #stay({ slot }: Thing, address: string, stays: string[], more: Map<string, number>): void {
    const count = (more.get(slot.path) ?? 0) + 1;
    more.set(slot.path, count);
    if (count <= MOST) stays.push(`GET ${address}`);
  }

  async #delete({ slot: { remove } }: Thing, address: string, caller: Caller): Promise<boolean> {
    try {
      const { answer } = await this.#send({
        method: 'DELETE',
        target: address,
        headers: [],
        caller,
        ...(remove && { security: remove.security }),
      });
      const status = answer?.status ?? 0;
      return (status >= 200 && status < 300) || status === 404 || status === 410;
    } catch {
      // Nothing more can be done about it: it is told as left behind.
      return false;
    }
  }
}
