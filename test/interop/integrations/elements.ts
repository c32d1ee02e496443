/** Reads rendered elements as a person does: what can be filled in and pressed. */
import type { components } from '../../../generated/schema.d.ts';

type Schemas = components['schemas'];
/** Any element, as `type` distinguishes them. */
export type AnyElement =
  | Schemas['RenderElement']
  | Schemas['RenderRoot']
  | Schemas['RenderInput']
  | Schemas['StepElement']
  | Schemas['StepperElement'];

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

/** What a person sees of a form: the current step of its stepper, or all of it. */
export interface VisibleForm {
  elements: AnyElement[];
  /** Action that leaves the step: to the next one, or after the last one. */
  leave: Schemas['RenderAction'] | undefined;
}

/** Returns what a person sees of a rendered form. */
export function visibleForm(result: Schemas['RenderResult']): VisibleForm {
  const elements = elementsIn(result);
  const stepper = elements.find((element) => element.type === 'stepper');
  if (stepper?.type !== 'stepper') {
    return { elements, leave: undefined };
  }
  const at = stepper.children.findIndex(({ id }) => id === stepper.activeStep);
  const isLast = at === stepper.children.length - 1;
  const step = stepper.children[at];
  const action = isLast ? stepper.onComplete : stepper.onStepChange;
  return { elements: elementsIn(step), leave: isLast || step?.next === true ? action : undefined };
}

/** Returns a URL that is given as a whole or in parts, with the entries of the state in its parameters. */
export function urlOf(url: Schemas['RenderTarget']['url'], state: Record<string, unknown>): string {
  if (typeof url === 'string') {
    return url;
  }
  const built = new URL(`http://${url.host}${url.pathname}`);
  for (const [name, value] of Object.entries(url.query ?? {})) {
    const resolved = resolveBindings(value, state);
    if (resolved !== undefined) {
      built.searchParams.set(name, String(resolved));
    }
  }
  return built.href;
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
