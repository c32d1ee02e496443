import type { Operation, Parameter } from '../../../model/contract/contract.ts';
import { creates, effectOnExisting, identifiesResource, isReading } from '../../../model/plan/effects.ts';
import { parametersOf } from '../../../model/plan/names.ts';
import type { Reference, Step } from '../../../model/plan/plan.ts';
import { identifierKindOf, isUnused } from '../../requests/unused.ts';
import { selectsParent } from '../entities/session-entities.ts';
import type { Event } from '../event.ts';
import type { SessionHistory } from '../session-history.ts';

/**
 * Returns whether a step can only create resources, or change those that this session created or discovered within
 * these. Every other identifier of its path must be unused, also for a server that reads it leniently.
 */
export function isAllowed(
  session: SessionHistory,
  step: Step,
  operation: Operation,
  path: Readonly<Record<string, string>>,
): boolean {
  const { resources } = session.context;
  const method = step.fault?.method ?? operation.method;
  const isDeclared = method === operation.method;
  if (isReading(method) || (isDeclared && operation.isSafe)) {
    return true;
  }
  if (isDeclared && effectOnExisting(resources, operation) !== undefined) {
    return false;
  }
  let isOwned = false;
  let isConfined = false;
  for (const name of parametersOf(operation.path)) {
    const value = step.path[name];
    const text = step.fault?.rawPath?.[name] ?? path[name] ?? '';
    const parameter = operation.parameters.find((item) => item.in === 'path' && item.name === name);
    if (
      typeof value === 'object' ? isOwnedReference(session, value, isOwned) : isChosen(session, value, text)
    ) {
      if (selectsParent(text)) {
        return false;
      }
      isOwned = true;
    } else if (
      typeof value !== 'object' &&
      isUnused(text, identifierKindOf(session.context.schemas, parameter?.schema ?? {}))
    ) {
      isConfined ||= identifiesResource(resources, operation, name);
    } else if (!(isOwned && typeof value !== 'object' && isFixed(session, parameter))) {
      return false;
    }
  }
  return isOwned || isConfined || (isDeclared && creates(resources, operation));
}

/** Returns whether the response of an earlier step identifies a resource that it created, or one within such. */
function isOwnedReference(session: SessionHistory, { step, from }: Reference, isOwned: boolean): boolean {
  const source = session.events[step];
  if (!source || step < session.firstValidEvent) {
    return false;
  }
  if (source.operation.method === 'GET') {
    return isOwned && isWithinOwned(session, source);
  }
  return source.created.some(
    ({ value }) => typeof value === 'object' && value.step === step && value.from === from,
  );
}

const isWithinOwned = (session: SessionHistory, { step, path }: Event): boolean =>
  Object.entries(step.path).some(([name, value]) =>
    typeof value === 'object'
      ? isOwnedReference(session, value, true)
      : isChosen(session, value, path[name] ?? ''),
  );

/** Returns whether the run chose an identifier for a resource that it created. */
const isChosen = (session: SessionHistory, value: string | undefined, text: string): boolean =>
  session.events.some(
    ({ n, created }) =>
      n >= session.firstValidEvent &&
      created.some((entity) => entity.value === value && entity.text === text),
  );

/** Returns whether a parameter has fixed values, which identify no resource: `/settings/{section}`. */
function isFixed({ context: { schemas } }: SessionHistory, parameter: Parameter | undefined): boolean {
  const flat = schemas.flat(parameter?.schema ?? {});
  return flat.enum !== undefined || 'const' in flat || flat.type === 'boolean';
}
