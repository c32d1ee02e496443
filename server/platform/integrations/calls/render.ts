import type { components } from '../../../../generated/schema.d.ts';
import { type CallServices, callIntegration } from './call-integration.ts';
import type { IntegrationCall } from './calls.ts';
import { readRenderResult } from './render-result.ts';

type Schemas = components['schemas'];

/** Maximum time for the rendering of a component. */
export const RENDER_MS = 10_000;
/** Maximum size of a rendered component in JSON. */
export const MAX_RENDERED_BYTES = 262_144;

/** A component to render, for a user or for anyone. */
export interface Rendering
  extends Pick<IntegrationCall, 'integration' | 'installation' | 'space' | 'site' | 'signal'> {
  request: Schemas['RenderRequest'];
  /** ID of the user who sees the component. */
  user?: string | undefined;
  /** {@link RENDER_MS} by default. */
  deadlineMs?: number | undefined;
}

/** A rendered component. */
export interface RenderedComponent {
  result: Schemas['RenderResult'];
  /** Seconds that the result can be reused in the same context; 0 if it cannot. */
  maxAgeSeconds: number;
}

/**
 * Renders a component with the script of its integration.
 *
 * @throws IntegrationCallError if there is no complete response
 * @throws IntegrationResponseError if it is no element of the contract
 */
export async function renderComponent(
  services: CallServices,
  { request, user, deadlineMs = RENDER_MS, ...call }: Rendering,
): Promise<RenderedComponent> {
  const response = await callIntegration(services, {
    ...call,
    deadlineMs,
    maxResponseBytes: MAX_RENDERED_BYTES,
    event: {
      ...request,
      type: 'ui_render',
      eventId: services.createId('evt'),
      ...(call.installation !== undefined && { installationId: call.installation }),
      ...(user !== undefined && { auth: { userId: user } }),
    },
  });
  return { result: readRenderResult(response), maxAgeSeconds: maxAgeOf(response.headers) };
}

/** Returns how long a response can be reused, in seconds (RFC 9111, section 5.2.2.1). */
export function maxAgeOf(headers: Headers): number {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,])/i.exec(headers.get('cache-control') ?? '')?.[1];
  return Number(seconds ?? 0);
}
