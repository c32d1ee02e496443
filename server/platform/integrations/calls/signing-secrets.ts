/** The signing secrets of integration scripts. */
import { createHmac } from 'node:crypto';

/** What a secret belongs to: an integration, one of its installations, or one on a space or site. */
export type SigningLevel = 'integration' | 'installation' | 'spaceInstallation' | 'siteInstallation';

/**
 * Derives a secret from the key of the service, so that it need not be stored.
 *
 * @param ids the installation, and the space or site, as far as the level has them
 */
export const signingSecret = (
  secretKey: string,
  level: SigningLevel,
  integration: string,
  ...ids: readonly string[]
): string =>
  createHmac('sha256', secretKey)
    .update(JSON.stringify(['integration signing secret', level, integration, ...ids]))
    .digest('base64url');
