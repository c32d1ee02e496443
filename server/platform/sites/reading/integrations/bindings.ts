/** The values of a component that are bound to its state. */
import type { components } from '../../../../../generated/schema.d.ts';

type Schemas = components['schemas'];
/** Values of the state of an element, which its inputs change. */
export type ElementState = Readonly<Record<string, unknown>>;

/** Returns a text, or the entry of the state that it is bound to. */
export const boundText = (text: string | Schemas['RenderBinding'], state: ElementState): string =>
  typeof text === 'string' ? text : String(resolveBindings(text, state) ?? '');

/** What a URL in parts depends on. */
export interface UrlContext {
  state: ElementState;
  /** Origins of the server, which may be without encryption. */
  ownOrigins: readonly string[];
}

/** Returns a URL as a text. One that is in parts is empty if its host is more than a host. */
export function boundUrl(url: string | Schemas['RenderUrlParts'], { state, ownOrigins }: UrlContext): string {
  if (typeof url === 'string') {
    return url;
  }
  const { host, pathname, query = {} } = url;
  const origin = ownOrigins.find((own) => new URL(own).host === host) ?? `https://${host}`;
  const address = URL.parse(origin);
  if (!address || !/^[^/?#@\\]+$/.test(host)) {
    return '';
  }
  address.pathname = pathname;
  for (const [name, value] of Object.entries(query)) {
    address.searchParams.set(name, boundText(value, state));
  }
  return address.href;
}

/** Replaces the bindings of a value by the entries of the state that they refer to. */
export function resolveBindings(value: unknown, state: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => resolveBindings(item, state));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if ('$state' in value && typeof value.$state === 'string') {
    return Object.hasOwn(state, value.$state) ? state[value.$state] : undefined;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, resolveBindings(item, state)]),
  );
}
