import { reply } from '../../../contract/response/reply.ts';
import type { Context, Slice } from '../../kit/slice.ts';
import { decodeRequest } from './rules/compressed-request.ts';
import { type RenderInput, render } from './rules.ts';

/** Handlers of the components of integrations. */
export const renderingHandlers = {
  async renderIntegration({ path, query }, ctx) {
    return await rendered(ctx, { name: path.integrationName, request: decodeRequest(query.request) });
  },

  async renderIntegrationComponent({ path, body }, ctx) {
    return await rendered(ctx, { name: path.integrationName, request: body });
  },
} satisfies Slice;

async function rendered(ctx: Context, input: RenderInput) {
  const { result, maxAgeSeconds, policy } = await render(ctx, input);
  return reply({
    // The script may have used the configuration, and knows the user.
    headers: {
      'Cache-Control': maxAgeSeconds > 0 ? `private, max-age=${maxAgeSeconds}` : 'no-store',
      ...(policy !== null && { 'Content-Security-Policy': policy }),
    },
    body: result,
  });
}
