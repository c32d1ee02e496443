import type { WorkWatch } from '../engine.ts';
import type { Notifications, Subscriber } from './notifications.ts';

/** The channel of the triggers in `migrations/work-notifications.ts`. */
const CHANNEL = 'colophon_work';

/** Watches for committed work, which triggers announce as notifications of PostgreSQL. */
export class WorkSignals implements Subscriber {
  readonly #notifications: Notifications;
  readonly #watchers = new Set<() => void>();

  constructor(notifications: Notifications) {
    this.#notifications = notifications;
    notifications.subscribe(CHANNEL, this);
  }

  watch(onChange: () => void): WorkWatch {
    const isSignalled = () => this.#notifications.connection(CHANNEL) !== undefined;
    this.#watchers.add(onChange);
    return {
      isSignalled,
      hasChanged: () => !isSignalled(),
      stop: () => this.#watchers.delete(onChange),
    };
  }

  receive(): void {
    for (const onChange of this.#watchers) {
      onChange();
    }
  }

  interrupted(): void {
    this.receive();
  }
}
