/** What the steps share. */
import type { CheckedOutIntegration } from './checkout.ts';
import type { FakeServices } from './fakes/services.ts';
import type { Scenario } from './scenarios/scenario.ts';
import type { Service } from './service.ts';

/** Content that an integration is installed on. */
export interface Target {
  kind: 'space' | 'site';
  id: string;
  /** A space of the site, or the space. */
  space: string;
}

/** An integration that the steps work on, one after the other. */
export interface Subject extends CheckedOutIntegration {
  service: Service;
  fakes: FakeServices;
  scenario: Scenario;
  /** ID of the installation, from the step that installs it on. */
  installation: string;
  /** What it is installed on. */
  targets: Target[];
  /** URL of the published site. */
  siteUrl: string;
}

/** Outcome of a step that did not fail. A step that fails throws the reason. */
export type Outcome = 'ok' | 'does not apply';

/** A step, which throws {@link NeedsService} or an error with the reason if it fails. */
export interface Step {
  name: string;
  run: (subject: Subject) => Promise<Outcome>;
}

/** A step needs what only a real service has. */
export class NeedsService extends Error {}

/** @throws Error with a reason, unless a condition holds */
export function require(condition: boolean, reason: string): void {
  if (!condition) {
    throw new Error(reason);
  }
}

/** Maximum waiting time of {@link eventually}, and the interval of its checks, in milliseconds. */
const WAIT_MS = 15_000;
const CHECK_MS = 250;

/** Waits until a function returns a value. @throws Error with a reason if it does not in time */
export async function eventually<Value>(
  find: () => Promise<Value | undefined> | Value | undefined,
  reason: () => string,
): Promise<Value> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const value = await find();
    if (value !== undefined) {
      return value;
    }
    if (performance.now() > deadline) {
      throw new Error(reason());
    }
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  }
}
