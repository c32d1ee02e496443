import type { Finding } from '../../report/finding.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { Event, Failure } from '../event.ts';
import type { Session } from '../session.ts';
import { drawnPlanOf, type Reproduction, type Shrinker, toPlan, withoutKeys } from './shrink.ts';

/** Maximum number of earlier requests that are repeated because they changed the resources of a failed one. */
const MAX_REPEATED_CHANGES = 30;

/** Creates the finding of a failure, as it occurred. */
export function createFinding(session: Session, event: Event, failure: Failure, seed: number): Finding {
  const numbers = [...failure.involves, failure.at];
  return {
    operation: event.operation.id,
    check: failure.check,
    message: failure.fault.message,
    expected: failure.fault.expected,
    cause: failure.fault.cause,
    plan: toPlan(drawnPlanOf(session, numbers, titleOf(session, numbers))),
    exchanges: exchangesOf(session, numbers),
    seed,
    otherOperations: [],
    repeatable: true,
  };
}

/** Replaces the requests of a finding by those that reproduced it. */
export function showReproduction(finding: Finding, { drawnPlan, failure, exchanges }: Reproduction): void {
  finding.plan = {
    ...toPlan(drawnPlan),
    title: drawnPlan.steps.map(({ step }) => step.operation).join(', '),
  };
  finding.message = failure.fault.message;
  finding.expected = failure.fault.expected;
  finding.exchanges = exchanges;
}

/**
 * Reproduces a failure with the requests that it involves, or else also with earlier changes of their resources. A server
 * that remembers keys of requests would only repeat its responses, so they are omitted first.
 */
export async function reproduceFailure(
  shrinker: Shrinker,
  session: Session,
  event: Event,
  failure: Failure,
): Promise<Reproduction | undefined> {
  const numbers = [...failure.involves, failure.at];
  const title = titleOf(session, numbers);
  const { operations } = session.context.resources.contract;
  const reproduce = async (all: readonly number[]): Promise<Reproduction | undefined> => {
    const plan = drawnPlanOf(session, all, title);
    const keyless = withoutKeys(plan, operations);
    return (
      (keyless && (await shrinker.reproduce(keyless, failure, event.operation.id))) ??
      (await shrinker.reproduce(plan, failure, event.operation.id))
    );
  };
  const reproduction = await reproduce(numbers);
  if (reproduction) {
    return reproduction;
  }
  const entities = new Set([...event.env.values()].map(({ text }) => text));
  const changes = session.events.filter(
    ({ n, operation, path }) =>
      n < event.n && operation.method !== 'GET' && Object.values(path).some((text) => entities.has(text)),
  );
  if (changes.length === 0) {
    return undefined;
  }
  const repeated = changes.slice(-MAX_REPEATED_CHANGES).map(({ n }) => n);
  return await reproduce([...repeated, ...numbers]);
}

function titleOf(session: Session, numbers: number[]): string {
  return session
    .planOf(numbers, '')
    .events.map(({ operation }) => operation.id)
    .join(', ');
}

const exchangesOf = (session: Session, numbers: number[]): Exchange[] =>
  session.planOf(numbers, '').events.map(({ exchange }) => exchange);
