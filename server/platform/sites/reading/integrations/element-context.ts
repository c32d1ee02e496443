/** What elements and inputs of a component have in common. */
import type { components } from '../../../../../generated/schema.d.ts';
import type { Html } from '../../../../contract/docs/html.ts';
import type { Labels } from '../labels.ts';
import { boundUrl, type ElementState, type UrlContext } from './bindings.ts';

type Schemas = components['schemas'];

/** Maximum number of elements of a component. The rest is not shown. */
export const MAX_BLOCK_ELEMENTS = 2000;
/** Maximum nesting depth of the elements of a component. Deeper ones are not shown. */
export const MAX_ELEMENT_DEPTH = 30;

/** What the elements of a component are rendered with. */
export interface ElementContext {
  /** State of the component, which inputs show. */
  state: ElementState;
  labels: Pick<Labels, 'close' | 'apply' | 'next'>;
  /** Origins of the server, which may be without encryption. */
  ownOrigins: readonly string[];
  /** HTML of Markdown and code that was rendered before, by its source. */
  texts: ReadonlyMap<string, Html>;
  /** Options that were loaded before, by their URL. */
  options: ReadonlyMap<string, readonly Pick<Schemas['SelectOption'], 'id' | 'label'>[]>;
  /** Number of elements, and of embedded pages among them, so far, and depth of the current element. */
  count: { elements: number; frames: number };
  depth: number;
  /** The actions of buttons, in order. A button sends the index of its action, so that visitors choose among them. */
  actions: OfferedAction[];
}

/** An action that a visitor can choose. */
export interface OfferedAction {
  action: Schemas['RenderAction'];
  /** Confirmation required before the action. */
  confirm?: Schemas['RenderConfirmation'] | undefined;
}

/** Offers an action. Returns the value of its button. */
export const offer = (
  { actions }: Pick<ElementContext, 'actions'>,
  action: Schemas['RenderAction'],
  confirm?: Schemas['RenderConfirmation'],
): number => actions.push({ action, confirm }) - 1;

/** Returns an encrypted address on the web, or one of this server; undefined for any other address. */
export function webAddress(
  address: string | Schemas['RenderUrlParts'],
  { ownOrigins, state }: UrlContext,
): string | undefined {
  const url = URL.parse(boundUrl(address, { ownOrigins, state }));
  return url && (url.protocol === 'https:' || ownOrigins.includes(url.origin)) ? url.href : undefined;
}
