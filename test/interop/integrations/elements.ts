/** Reads rendered elements as a person does: what can be filled in and pressed. */
import type { components } from '../../../generated/schema.d.ts';

type Schemas = components['schemas'];
/** Any element, as `type` distinguishes them. */
export type AnyElement =
  | Schemas['RenderElement']
  | Schemas['RenderRoot']
  | Schemas['RenderInput']
  | Schemas['StepElement'];

/** Returns all elements below a value, in the order of the page. The contract validated them. */
export function elementsIn(value: unknown): AnyElement[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  if (Array.isArray(value)) {
    return value.flatMap(elementsIn);
  }
  const own = 'type' in value && typeof value.type === 'string' ? [value as AnyElement] : [];
  return [...own, ...Object.values(value).flatMap(elementsIn)];
}

/** Replaces the bindings in a value, such as the fields of an action, with entries of the state. */
export function resolveBindings(value: unknown, state: Record<string, unknown>): unknown {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => resolveBindings(item, state));
  }
  if ('$state' in value && typeof value.$state === 'string') {
    return state[value.$state];
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveBindings(item, state)]));
}
