import type { components } from '../../../../generated/schema.d.ts';
import type { Context } from '../../kit/slice.ts';
import type { SiteRow } from '../../spaces/publications/structure.ts';
import { openSigningKey } from '../visitors/signing-keys.ts';

/** Converts the authentication of the visitors of a site to its representation. */
export const presentPublishingAuth = (
  row: SiteRow,
  { secretKey }: Context,
): components['schemas']['SitePublishingAuth'] => ({
  object: 'publishing-auth',
  privateKey: openSigningKey(secretKey, row),
  backend: row.authIntegration === null ? 'custom' : 'integration',
  ...(row.authIntegration !== null && { integration: row.authIntegration }),
  ...(row.fallbackURL !== null && { fallbackURL: row.fallbackURL }),
});
