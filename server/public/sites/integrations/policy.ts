/** The content security policies of what integrations show. */
import { extendPolicy, type Policy } from '../../../models/site-integrations/policy.ts';
import { pagePolicy } from '../respond.ts';

/**
 * Returns the policy of a block. Other sites can only be embedded in frames: those that the integration lists, or any if
 * it lists none. Their scripts have an origin of their own.
 */
export const blockPolicy =
  (ownOrigins: readonly string[], declared: string | null) =>
  (nonce: string): Policy => {
    const policy = extendPolicy(new Map([...pagePolicy(nonce), ['frame-src', ownOrigins]]), [declared ?? '']);
    const frames = policy.get('frame-src') ?? [];
    return new Map([
      ...policy,
      // Components contain no scripts of an integration.
      ['script-src', [`'nonce-${nonce}'`]],
      ['frame-src', frames.length > ownOrigins.length ? frames : [...frames, 'https:']],
      ['frame-ancestors', ["'self'"]],
    ]);
  };
