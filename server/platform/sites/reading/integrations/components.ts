/** Calls the components of integrations, and follows the actions of visitors. */
import type { components } from '../../../../../generated/schema.d.ts';
import { openSecret, sealingKey, sealSecret } from '../../../../outgoing/credentials.ts';
import { renderComponent } from '../../../integrations/calls/render.ts';
import { IntegrationResponseError } from '../../../integrations/calls/render-result.ts';
import type { SiteBlock } from '../../site-integrations/find.ts';
import type { ReadingServices } from '../reading-site.ts';
import { resolveBindings } from './bindings.ts';
import type { OfferedAction } from './element-context.ts';

import { EDITING } from './inputs.ts';
import { lifetimeOf } from './response-cache.ts';

type Schemas = components['schemas'];

/** Time limit for an integration to render a component. Pages do not wait for it. */
export const COMPONENT_DEADLINE_MS = 5000;
/** Maximum length of the state of a block that visitors return with their actions. */
export const MAX_SESSION_CHARACTERS = 131_072;
/** Maximum number of modals above each other. */
export const MAX_OPEN_MODALS = 3;

/** A component with what its next rendering depends on. */
interface Instance {
  componentId: string;
  props: Record<string, unknown>;
  state: Record<string, unknown>;
}

/** The component that a visitor sees, above those that opened it. */
export type Instances = readonly Instance[];

/** What a visitor sees, and the actions to choose from. */
export interface Session {
  instances: Instances;
  actions: readonly OfferedAction[];
  /** Whether it embeds pages, which send actions of their own. */
  hasFrames?: boolean;
}

/** A rendered component. */
export interface RenderedComponent {
  root: Schemas['RenderRoot'];
  instances: Instances;
  lifetimeMs: number;
}

/** Where a block is shown. */
export interface BlockLocation {
  site: string;
  space: string;
  theme: 'light' | 'dark';
}

/** Renders a component as visitors first see it, after an action if one creates it. */
export const renderFirst = (
  services: ReadingServices,
  block: SiteBlock,
  location: BlockLocation,
  instance: Omit<Instance, 'state'>,
  action?: Schemas['RenderAction'],
): Promise<RenderedComponent> => renderTop(services, block, location, [], instance, action ? { action } : {});

/** Renders what a visitor sees after an action. `undefined` renders the same component again. */
export async function renderAction(
  services: ReadingServices,
  block: SiteBlock,
  location: BlockLocation,
  instances: Instances,
  action: Schemas['RenderAction'] | undefined,
): Promise<RenderedComponent> {
  const top = instances.at(-1);
  if (!top) {
    throw new IntegrationResponseError('The session has no component.');
  }
  const [below, { state }] = [instances.slice(0, -1), top];
  if (!action || EDITING.has(action.action) || action.action === '@ui.url.open') {
    return await renderTop(services, block, location, below, top, { state });
  }
  // Bindings are values of any type.
  const resolved = resolveBindings(action, state) as Schemas['RenderAction'];
  if (isOpening(resolved)) {
    if (instances.length > MAX_OPEN_MODALS) {
      throw new IntegrationResponseError('The integration opened too many modals.');
    }
    return await renderTop(services, block, location, instances, resolved, {});
  }
  if (isClosing(resolved)) {
    return await close(services, block, location, instances, resolved.returnValue);
  }
  return await renderTop(services, block, location, below, top, { state, action: resolved });
}

const isOpening = (action: Schemas['RenderAction']): action is Schemas['OpenModalAction'] =>
  action.action === '@ui.modal.open' &&
  'componentId' in action &&
  typeof action.componentId === 'string' &&
  'props' in action &&
  typeof action.props === 'object' &&
  action.props !== null;

const isClosing = (action: Schemas['RenderAction']): action is Schemas['CloseModalAction'] =>
  action.action === '@ui.modal.close';

/** Closes the component above the others. The one that opened it handles the returned value as an action. */
async function close(
  services: ReadingServices,
  block: SiteBlock,
  location: BlockLocation,
  instances: Instances,
  returnValue: Record<string, unknown> | undefined,
): Promise<RenderedComponent> {
  const below = instances.slice(0, Math.max(1, instances.length - 1));
  const opener = below.at(-1);
  if (!opener) {
    throw new IntegrationResponseError('The session has no component.');
  }
  const action = { action: '@ui.modal.close', ...(returnValue && { returnValue }) } as const;
  const isClosed = below.length < instances.length;
  return await renderTop(services, block, location, below.slice(0, -1), opener, {
    state: opener.state,
    ...(isClosed && { action }),
  });
}

async function renderTop(
  services: ReadingServices,
  block: SiteBlock,
  location: BlockLocation,
  below: Instances,
  { componentId, props }: Omit<Instance, 'state'>,
  input: { state?: Record<string, unknown>; action?: Schemas['RenderAction'] },
): Promise<RenderedComponent> {
  const { integration, installation } = block;
  const { site, space, theme } = location;
  const { result, maxAgeSeconds } = await renderComponent(services, {
    integration,
    installation,
    site,
    space,
    request: {
      componentId,
      props,
      context: { type: 'document', spaceId: space, editable: false, theme },
      ...input,
    },
    deadlineMs: COMPONENT_DEADLINE_MS,
  });
  if (result.type === 'complete') {
    if (below.length === 0) {
      throw new IntegrationResponseError('The integration completed a component that is not a modal.');
    }
    return await close(
      services,
      block,
      location,
      [...below, { componentId, props, state: {} }],
      result.returnValue,
    );
  }
  const instances = [...below, { componentId, props: result.props, state: result.state }];
  return { root: forVisitors(result.element), instances, lifetimeMs: lifetimeOf(maxAgeSeconds, block) };
}

/** Removes what a component has for editors only: the menu of a block. Its actions may change the displayed content. */
function forVisitors(root: Schemas['RenderRoot']): Schemas['RenderRoot'] {
  if (root.type !== 'block') {
    return root;
  }
  const { controls: _, ...shown } = root;
  return shown;
}

const contextOf = (href: string): string => `block session of a visitor ${href}`;

/**
 * Seals a session of a block at an address, so that visitors can return it with their next action, but neither read nor
 * change it.
 */
export function sealSession(session: Session, secretKey: string, href: string): string {
  const sealed = sealSecret(JSON.stringify(session), sealingKey(secretKey), contextOf(href));
  if (sealed.length > MAX_SESSION_CHARACTERS) {
    throw new IntegrationResponseError('The state of the component is too large.');
  }
  return sealed;
}

/** Opens a session that was sealed for the block at an address. Returns undefined if it was not. */
export function openSession(sealed: string, secretKey: string, href: string): Session | undefined {
  try {
    // Sealed by sealSession.
    return JSON.parse(openSecret(sealed, sealingKey(secretKey), contextOf(href))) as Session;
  } catch {
    return undefined;
  }
}
