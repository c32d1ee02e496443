import type { components } from '../../../../../generated/schema.d.ts';
import type { Context } from '../../../kit/slice.ts';
import { type SiteRow, siteSpacesOf } from '../../../spaces/publications/structure.ts';
import { siteBase, withShareKey } from '../../../spaces/publications/urls.ts';
import { scriptPath } from '../../site-integrations/find.ts';
import { StructurePresenter } from '../../structure/present.ts';
import type { StructureView } from '../../structure/visible.ts';
import { presentSite } from '../present.ts';
import { readCustomization } from '../queries/customization.ts';
import type { PublishedSite } from '../rules/published.ts';

/** Converts a published site to its representation for a visitor. */
export const presentPublishedSite = async (
  { database, resourceUrls }: Context,
  { row, view, scripts }: PublishedSite,
): Promise<components['schemas']['PublishedSite']> => ({
  object: 'published-content-site',
  site: presentSite(row, { ...view, siteSpaces: siteSpacesOf(view.structure).length }, resourceUrls),
  structure: await new StructurePresenter(database.query, view, resourceUrls).structure(),
  customizations: customizationsOf(row, view),
  scripts: scripts.map((script) => ({
    script: withShareKey(`${siteBase(resourceUrls, row)}${scriptPath(script)}`, view.shareKey),
    ...(script.policy !== null && { contentSecurityPolicy: script.policy }),
    cookies: script.cookies,
  })),
});

/** Site spaces have the customization of their site. */
function customizationsOf(
  row: SiteRow,
  { structure }: StructureView,
): components['schemas']['PublishedCustomizations'] {
  const site = readCustomization(row);
  return {
    site,
    siteSpaces: Object.fromEntries(siteSpacesOf(structure).map((entry) => [entry.row.id, site])),
  };
}
