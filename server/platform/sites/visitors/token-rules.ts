/** Which visitor tokens are valid for sites. */
import { signingSecret } from '../../integrations/calls/signing-secrets.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import type { SiteRow } from '../../spaces/publications/structure.ts';
import { siteBase } from '../../spaces/publications/urls.ts';
import { signingKeyOpener } from './signing-keys.ts';
import type { TokenRules } from './tokens.ts';

/** A site, without settings that do not affect whom a visitor token identifies. */
export type IdentifyingSite = Pick<
  SiteRow,
  | 'id'
  | 'organization'
  | 'organizationHostname'
  | 'basename'
  | 'proxyOrigin'
  | 'visibility'
  | 'signingKey'
  | 'authIntegration'
>;

/**
 * Creates a function that returns the rules for the tokens of a site.
 *
 * A site with an authentication integration also accepts the tokens that the integration signs with the secret of its
 * installation on the site. Integrations copy the claims of the identity provider, including its audience. Each key
 * belongs to one site, so tokens of other sites are not accepted.
 */
export function createTokenRules(
  secretKey: string,
  resourceUrls: ResourceUrls,
): (site: IdentifyingSite, installation: string | undefined) => TokenRules {
  const open = signingKeyOpener(secretKey);
  return (site, installation) => {
    const { id, authIntegration } = site;
    if (authIntegration === null) {
      return { keys: [open(site)], audiences: [id, siteBase(resourceUrls, site)] };
    }
    const secrets =
      installation === undefined
        ? []
        : [signingSecret(secretKey, 'siteInstallation', authIntegration, installation, id)];
    return { keys: [open(site), ...secrets], audiences: undefined };
  };
}
