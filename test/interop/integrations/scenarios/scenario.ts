import type { Replies } from '../fakes/services.ts';

/** What a person would enter for an integration, and what proves that it works. */
export interface Scenario {
  /** Values of settings by name, and of the inputs of its settings component. */
  settings?: Record<string, unknown>;
  /** URLs that its blocks unfurl. */
  unfurls?: readonly string[];
  /** Text that its blocks show. */
  shows?: string;
  /** Props of its blocks by their ID. */
  props?: Record<string, Record<string, unknown>>;
  /** Action of its block, by the ID of the block, with the inputs before it, and a host that must receive a request. */
  press?: { block: string; state: Record<string, unknown>; action: string; host: string };
  /** Hosts that must receive a request after an event, by its type. */
  events?: Record<string, string>;
  /** Replies of the services that it calls. */
  replies?: Replies;
  /** Why steps need a real service, by the name of the step. */
  needs?: Record<string, string>;
}
