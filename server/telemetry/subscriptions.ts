import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Ends a subscription. */
export type Stop = () => void;

/**
 * Subscribes to a channel by its name. The package or module that publishes in the channel documents its messages.
 *
 * @returns a function that ends the subscription
 */
export function listen<Message>(name: string | symbol, receive: (message: Message) => void): Stop {
  const listener = (message: unknown) => receive(message as Message);
  subscribe(name, listener);
  return () => {
    unsubscribe(name, listener);
  };
}

/** Returns a function that ends some subscriptions. */
export const stopAll =
  (stops: readonly Stop[]): Stop =>
  () => {
    for (const stop of stops) {
      stop();
    }
  };
