import type { Operation } from '../contract/contract.ts';
import type { Step } from '../plan/plan.ts';
import type { Session } from './session.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Integers from here on are as good as never given out. */
const MIN_UNUSED_INTEGER = 2 ** 31 - 10_000;

/**
 * Whether a step keeps to the rules of conduct: what changes something names only entities that this session made, or
 * found within one that it made and names before, or values that nothing can have.
 */
export function mayTouch(
  session: Session,
  step: Step,
  operation: Operation,
  path: Readonly<Record<string, string>>,
): boolean {
  const method = step.fault?.method ?? operation.method;
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return true;
  const { resources, schemas } = session.ground;
  let owned = false;
  for (const { parameter } of resources.slotsOf(operation)) {
    const value = step.path[parameter.name];
    const text = path[parameter.name] ?? '';
    const accepted = (one: string) =>
      schemas.accepts(parameter.schema, one) || schemas.accepts(parameter.schema, asTyped(one));
    if (step.fault?.rawPath?.[parameter.name] !== undefined) continue;
    if (typeof value === 'object') {
      const source = session.events[value.step];
      if (!source) return false;
      if (source.operation.method === 'GET' && !owned) return false;
      owned = true;
      continue;
    }
    const chosen = session.events.some(
      (event) =>
        event.operation.method !== 'GET' &&
        event.made.some((entity) => entity.value === value && entity.text === text),
    );
    if (chosen) owned = true;
    else if (!cannotExist(text) && accepted(text)) return false;
  }
  return true;
}

/** Whether nothing on a server can have this id but by being given it. */
function cannotExist(text: string): boolean {
  return text.length >= 20 || UUID.test(text) || (/^\d+$/.test(text) && Number(text) >= MIN_UNUSED_INTEGER);
}

const asTyped = (text: string): unknown => (/^-?\d+$/.test(text) ? Number(text) : text);
