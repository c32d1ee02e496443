/** The integrations that a published site shows: their scripts on its pages, and their blocks in its content. */
import { createHash } from 'node:crypto';
import type { Expression, ExpressionBuilder } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import type { StoredBlock } from '../../../database/schema/integrations/integrations.ts';
import type { Schema } from '../../../database/schema.ts';
import { type ParametersOf, statement } from '../../../database/statement.ts';
import { NamedCache } from '../../../diagnostics/caches.ts';
import { contentStateOf, isActiveByDefault, stateOf } from '../../integrations/installations/present.ts';
import {
  type ContentInstallationRow,
  selectContentInstallations,
  selectInstallations,
} from '../../integrations/installations/queries.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import type { SiteRow } from '../../spaces/publications/rows.ts';
import { canRunScripts } from './origin.ts';

/** Maximum number of installations per site (the oldest of the organization that can show something). */
export const MAX_SITE_INSTALLATIONS = 100;

/** Maximum number of sites with cached integrations. */
export const MAX_CACHED_SITE_INTEGRATIONS = 500;

/** Scopes that add scripts to sites, and that let these scripts set cookies. */
const INJECT_SCOPE = 'site:script:inject';
const COOKIES_SCOPE = 'site:script:cookies';
/** Scope of view events. Integrations read the visitor's consent in them. */
const VIEWS_SCOPE = 'site:views:read';

/** An installation that shows something on a site. */
export interface SiteInstallation {
  installation: string;
  integration: string;
  /** Content security policy of the integration; null without one. */
  policy: string | null;
  /** Identifies the version of the integration and the settings of the installation. */
  version: string;
  /** Whether a program of its developer handles its events, so that results are not cached. */
  isInDevelopment: boolean;
}

/** A script that an integration adds to all pages of a site. */
export interface SiteScript extends SiteInstallation {
  /** Whether the script sets cookies. */
  cookies: boolean;
}

/** Returns the path of a script below the address of its site. */
export const scriptPath = ({ installation, version }: SiteScript): string =>
  `/~scripts/${installation}/${version}.js`;

/** A block that an integration shows in pages of a site. */
export interface SiteBlock extends SiteInstallation {
  definition: StoredBlock;
  /** Returns whether pages of a space show it. */
  isIn: (space: string) => boolean;
}

export interface SiteIntegrations {
  /** Digest of the installations, with their versions and settings. */
  key: string;
  scripts: readonly SiteScript[];
  blocks: readonly SiteBlock[];
  /** Whether an integration receives views of the pages. */
  receivesViews: boolean;
}

const NONE: SiteIntegrations = { key: '', scripts: [], blocks: [], receivesViews: false };

const cache = new NamedCache<SiteIntegrations>('site-integrations', { max: MAX_CACHED_SITE_INTEGRATIONS });

/** An installation that can show something, with all that a change of it affects. */
export type ShownInstallation = Awaited<ReturnType<typeof listShownInstallations>>[number];

/**
 * Finds the integrations that a site shows. Requires no statement if none is installed.
 *
 * @param installations see {@link listShownInstallations}
 */
export async function findSiteIntegrations(
  queries: Queries,
  site: SiteRow,
  installations: readonly ShownInstallation[],
  { secretKey, resourceUrls }: { secretKey: string; resourceUrls: ResourceUrls },
): Promise<SiteIntegrations> {
  if (installations.length === 0) {
    return NONE;
  }
  const ids = installations.map(({ id }) => id);
  const targets = await listTargets(queries, site, ids);
  const key = createHash('sha256')
    .update(JSON.stringify([site.id, installations, targets]))
    .digest('base64url');
  const integrations = cache.get(key) ?? (await read(queries, site, installations, { key, secretKey }));
  cache.set(key, integrations);
  return integrations.scripts.length === 0 || (await canRunScripts(queries, site, resourceUrls))
    ? integrations
    : { ...integrations, key: `${key} without scripts`, scripts: [] };
}

/** Lists the installations in the organization that can show something, with all that a change of them affects. */
export const listShownInstallations = (queries: Queries, organization: string) =>
  findShownInstallations.rows(queries, { organization });

/** Selects what {@link listShownInstallations} returns. */
export const selectShownInstallations = (queries: Queries, organization: Expression<string>) =>
  queries
    .selectFrom('installations')
    .innerJoin('integrations', 'integrations.name', 'installations.integration')
    .select([
      'installations.id',
      'installations.spaceSelection',
      'installations.siteSelection',
      'installations.configuration',
      'integrations.version',
      'integrations.tunnelURL',
    ])
    .where('installations.organization', '=', organization)
    .where('installations.paused', '=', 0)
    .where((row) => row.or([row('integrations.hasBlocks', '=', 1), row.exists(showingScopes(row))]))
    .orderBy('installations.createdAt')
    .orderBy('installations.id')
    .limit(MAX_SITE_INSTALLATIONS);

/** Selects the scopes of an integration that show something. With `in`, SQLite would build a filter for each execution. */
const showingScopes = (integration: ExpressionBuilder<Schema, 'integrations'>) =>
  integration
    .selectFrom('integrationTags')
    .select('integrationTags.value')
    .whereRef('integrationTags.integration', '=', 'integrations.name')
    .where('integrationTags.kind', '=', 'scope')
    .where('integrationTags.value', 'in', [INJECT_SCOPE, VIEWS_SCOPE]);

const findShownInstallations = statement(
  (queries, { organization }: ParametersOf<{ organization: string }>) =>
    selectShownInstallations(queries, organization).compile(),
);

/** Lists what is installed on a site and on its spaces. */
const listTargets = (queries: Queries, { id }: SiteRow, installations: readonly string[]) =>
  queries
    .selectFrom('contentInstallations')
    .select(['installation', 'target', 'paused', 'configuration'])
    .where('installation', 'in', installations)
    .where((row) => row.or([row('target', '=', id), row('target', 'in', spacesOf(queries, id))]))
    .orderBy('installation')
    .orderBy('target')
    .execute();

const spacesOf = (queries: Queries, site: string) =>
  queries.selectFrom('siteSpaces').select('siteSpaces.space').where('siteSpaces.site', '=', site);

async function read(
  queries: Queries,
  site: SiteRow,
  installations: readonly { id: string; tunnelURL: string | null }[],
  { key, secretKey }: { key: string; secretKey: string },
): Promise<SiteIntegrations> {
  const ids = installations.map(({ id }) => id);
  const inDevelopment = new Set(installations.filter(({ tunnelURL }) => tunnelURL).map(({ id }) => id));
  const rows = await selectInstallations(queries)
    .where('installations.id', 'in', ids)
    .orderBy('installations.createdAt')
    .orderBy('installations.id')
    .execute();
  const onSite = await selectContentInstallations(queries, 'site')
    .where('contentInstallations.installation', 'in', ids)
    .where('contentInstallations.target', '=', site.id)
    .execute();
  const onSpaces = await selectContentInstallations(queries, 'space')
    .where('contentInstallations.installation', 'in', ids)
    .where('contentInstallations.target', 'in', spacesOf(queries, site.id))
    .execute();
  const isActive = (row: ContentInstallationRow) => contentStateOf(row, secretKey).status === 'active';
  const scripts: SiteScript[] = [];
  const blocks: SiteBlock[] = [];
  let receivesViews = false;
  for (const row of rows) {
    if (stateOf(row, secretKey).status !== 'active') {
      continue;
    }
    const [definition, scopes] = [readJson(row.definition), readJson(row.scopes)];
    const ownOnSite = onSite.find(({ installation }) => installation === row.id);
    const ownOnSpaces = onSpaces.filter(({ installation }) => installation === row.id);
    const shown: SiteInstallation = {
      installation: row.id,
      integration: row.integration,
      policy: definition.contentSecurityPolicy,
      version: createHash('sha256')
        .update(JSON.stringify([key, row.id]))
        .digest('base64url')
        .slice(0, 16),
      isInDevelopment: inDevelopment.has(row.id),
    };
    const isOnSite =
      row.integrationTarget !== 'space' && (ownOnSite ? isActive(ownOnSite) : isActiveByDefault(row, 'site'));
    if (isOnSite && scopes.includes(INJECT_SCOPE)) {
      scripts.push({ ...shown, cookies: scopes.includes(COOKIES_SCOPE) });
    }
    receivesViews ||= isOnSite && scopes.includes(VIEWS_SCOPE);
    const isIn = (space: string) => {
      const own = ownOnSpaces.find(({ target }) => target === space);
      const isOnSpace =
        row.integrationTarget !== 'site' && (own ? isActive(own) : isActiveByDefault(row, 'space'));
      return isOnSite || isOnSpace;
    };
    blocks.push(...definition.blocks.map((block) => ({ ...shown, definition: block, isIn })));
  }
  return { key, scripts, blocks, receivesViews };
}
