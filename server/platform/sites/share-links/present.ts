import type { Selectable } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import type { ShareLinksTable } from '../../../database/schema/sites/sites.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import type { SiteRow } from '../../spaces/publications/structure.ts';
import { siteBase, withShareKey } from '../../spaces/publications/urls.ts';
import { openShareSecret } from './queries/secrets.ts';

/** Converts a share link to its representation in the API, for users who can edit the site. */
export function presentShareLink(
  row: Selectable<ShareLinksTable>,
  site: SiteRow,
  { secretKey, resourceUrls }: { secretKey: string; resourceUrls: ResourceUrls },
): components['schemas']['ShareLink'] {
  const secret = openShareSecret(secretKey, row);
  return {
    object: 'share-link',
    id: row.id,
    name: row.name,
    active: row.active === 1,
    createdAt: row.createdAt,
    urls: {
      ...resourceUrls.shareLink(row.organization, row.site, row.id),
      ...(site.published === 1 && {
        published: withShareKey(siteBase(resourceUrls, site), secret),
      }),
    },
  };
}
