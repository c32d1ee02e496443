import type { Services } from '../../kit/slice.ts';
import { EventDispatcher } from './jobs/dispatcher.ts';

/** Registers the delivery of events. */
export function registerEventDelivery(services: Services): void {
  services.queue.attach(new EventDispatcher(services));
}
