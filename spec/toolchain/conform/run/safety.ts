import type { Operation } from '../contract/contract.ts';
import type { Step } from '../plan/plan.ts';
import type { Session } from './session.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Integers from which on IDs are assumed to be unused. */
const MIN_UNUSED_INTEGER = 2 ** 31 - 10_000;

/**
 * Returns whether a step is safe to run: changes may refer only to entities created by this session, entities
 * discovered within these, or unused values.
 */
export function isAllowed(
  session: Session,
  step: Step,
  operation: Operation,
  path: Readonly<Record<string, string>>,
): boolean {
  const method = step.fault?.method ?? operation.method;
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') {
    return true;
  }
  const { resources, schemas } = session.context;
  let owned = false;
  for (const { parameter } of resources.slotsOf(operation)) {
    const value = step.path[parameter.name];
    const text = path[parameter.name] ?? '';
    const accepted = (text: string) =>
      schemas.accepts(parameter.schema, text) || schemas.accepts(parameter.schema, asTyped(text));
    if (step.fault?.rawPath?.[parameter.name] !== undefined) {
      continue;
    }
    if (typeof value === 'object') {
      const source = session.events[value.step];
      if (!source) {
        return false;
      }
      if (source.operation.method === 'GET' && !owned) {
        return false;
      }
      owned = true;
      continue;
    }
    const isSelectedId = session.events.some(
      (event) =>
        event.operation.method !== 'GET' &&
        event.created.some((entity) => entity.value === value && entity.text === text),
    );
    if (isSelectedId) {
      owned = true;
    } else if (!cannotExist(text) && accepted(text)) {
      return false;
    }
  }
  return true;
}

/** Returns whether an ID cannot belong to an existing resource unless it was assigned explicitly. */
function cannotExist(text: string): boolean {
  return text.length >= 20 || UUID.test(text) || (/^\d+$/.test(text) && Number(text) >= MIN_UNUSED_INTEGER);
}

const asTyped = (text: string): unknown => (/^-?\d+$/.test(text) ? Number(text) : text);
