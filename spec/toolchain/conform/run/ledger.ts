import type { Send } from '../wire/exchange.ts';
import type { Event } from './event.ts';
import { succeeded } from './session.ts';
import type { Thing } from './thing.ts';

/** So long it may take to delete what a run made, in milliseconds. */
const PATIENCE = 20_000;

/** Remembers what a run made, to delete it at the end. */
export class Ledger {
  readonly #send: Send;
  /** By address; those without one by a number. */
  readonly #things = new Map<string, Thing>();

  constructor(cleanUp: Send) {
    this.#send = cleanUp;
  }

  made(thing: Thing): void {
    this.#things.set(thing.address ?? `${thing.madeAt} ${thing.text}`, thing);
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
    for (const [address, thing] of [...this.#things].reverse()) {
      const remove = thing.slot.remove;
      if (!remove || thing.address === undefined || now() > until || !(await this.#delete(thing, address)))
        stays.push(`${thing.slot.read?.method ?? 'at'} ${address}`);
    }
    return stays.reverse();
  }

  async #delete({ slot: { remove } }: Thing, address: string): Promise<boolean> {
    try {
      const { answer } = await this.#send({
        method: 'DELETE',
        target: address,
        headers: [],
        caller: 'own',
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
