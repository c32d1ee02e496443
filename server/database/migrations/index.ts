import type { Migration } from 'kysely/migration';
import * as organizations from './0001-organizations.ts';
import * as content from './0002-content.ts';
import * as jobs from './0003-jobs.ts';
import * as search from './0004-search.ts';
import * as changeRequests from './0005-change-requests.ts';
import * as openAPISpecs from './0006-openapi-specs.ts';
import * as abandonedJobs from './0007-abandoned-jobs.ts';
import * as searchedEntries from './0008-searched-entries.ts';
import * as jobProcessEnds from './0009-job-process-ends.ts';
import * as blobChunks from './0010-blob-chunks.ts';
import * as writers from './0011-writers.ts';
import * as requestCounts from './0012-request-counts.ts';
import * as accessTokens from './0013-access-tokens.ts';
import * as auditEvents from './0014-audit-events.ts';
import * as rowCounts from './0016-row-counts.ts';
import * as listOrders from './0017-list-orders.ts';
import * as visibilityVersions from './0018-visibility-versions.ts';
import * as searchPages from './0019-search-pages.ts';
import * as nameVersions from './0020-name-versions.ts';
import * as grantCounts from './0021-grant-counts.ts';
import * as syncedBranches from './0022-synced-branches.ts';
import * as runs from './0023-runs.ts';
import * as searchForms from './0024-search-forms.ts';
import * as printedPdfs from './0026-printed-pdfs.ts';
import * as nameChanges from './0027-name-changes.ts';
import * as idempotencyKeys from './0028-idempotency-keys.ts';
import * as sites from './0029-sites.ts';
import * as sessions from './0030-sessions.ts';
import * as objectCompression from './0031-object-compression.ts';
import * as translations from './0033-translations.ts';
import * as integrations from './0034-integrations.ts';
import * as integrationEvents from './0035-integration-events.ts';
import * as searchConditions from './0037-search-conditions.ts';
import * as restrictedSites from './0039-restricted-sites.ts';
import * as listVersions from './0041-list-versions.ts';
import * as siteAuthentication from './0043-site-authentication.ts';
import * as specVersions from './0047-spec-versions.ts';
import * as shownSpaces from './0049-shown-spaces.ts';
import * as siteNames from './0051-site-names.ts';
import * as spaceCounts from './0053-space-counts.ts';
import * as guestVersions from './0054-guest-versions.ts';
import * as hiddenSources from './0055-hidden-sources.ts';
import * as earlierForms from './0057-earlier-forms.ts';
import * as conditionalTexts from './0058-conditional-texts.ts';
import * as siteFeedback from './0061-site-feedback.ts';
import * as visitorSessions from './0063-visitor-sessions.ts';
import * as organizationFiles from './0064-organization-files.ts';
import * as reviews from './0065-reviews.ts';
import * as importRuns from './0066-import-runs.ts';
import * as siteRedirects from './0067-site-redirects.ts';
import * as contentLanguage from './0082-content-language.ts';
import * as repliers from './0088-repliers.ts';
import * as spaceMaps from './0090-space-maps.ts';

/**
 * All migrations, in the order in which they landed, which is the order in which they run. The number of a name has no
 * meaning: databases have run them in the order of their names, too, and have skipped some that landed later.
 *
 * Append new migrations. Do not move, rename or change one that landed: databases that have run it would differ.
 */
export const migrations: ReadonlyArray<readonly [name: string, migration: Migration]> = [
  ['0001-organizations', organizations],
  ['0002-content', content],
  ['0003-jobs', jobs],
  ['0004-search', search],
  ['0005-change-requests', changeRequests],
  ['0007-abandoned-jobs', abandonedJobs],
  ['0006-openapi-specs', openAPISpecs],
  ['0008-searched-entries', searchedEntries],
  ['0010-blob-chunks', blobChunks],
  ['0009-job-process-ends', jobProcessEnds],
  ['0013-access-tokens', accessTokens],
  ['0014-audit-events', auditEvents],
  ['0011-writers', writers],
  ['0012-request-counts', requestCounts],
  ['0016-row-counts', rowCounts],
  ['0017-list-orders', listOrders],
  ['0018-visibility-versions', visibilityVersions],
  ['0019-search-pages', searchPages],
  ['0020-name-versions', nameVersions],
  ['0023-runs', runs],
  ['0021-grant-counts', grantCounts],
  ['0022-synced-branches', syncedBranches],
  ['0024-search-forms', searchForms],
  ['0026-printed-pdfs', printedPdfs],
  ['0028-idempotency-keys', idempotencyKeys],
  ['0027-name-changes', nameChanges],
  ['0029-sites', sites],
  ['0031-object-compression', objectCompression],
  ['0030-sessions', sessions],
  ['0033-translations', translations],
  ['0034-integrations', integrations],
  ['0037-search-conditions', searchConditions],
  ['0039-restricted-sites', restrictedSites],
  ['0035-integration-events', integrationEvents],
  ['0041-list-versions', listVersions],
  ['0043-site-authentication', siteAuthentication],
  ['0047-spec-versions', specVersions],
  ['0049-shown-spaces', shownSpaces],
  ['0051-site-names', siteNames],
  ['0053-space-counts', spaceCounts],
  ['0054-guest-versions', guestVersions],
  ['0055-hidden-sources', hiddenSources],
  ['0057-earlier-forms', earlierForms],
  ['0058-conditional-texts', conditionalTexts],
  ['0063-visitor-sessions', visitorSessions],
  ['0065-reviews', reviews],
  ['0064-organization-files', organizationFiles],
  ['0066-import-runs', importRuns],
  ['0067-site-redirects', siteRedirects],
  ['0061-site-feedback', siteFeedback],
  ['0088-repliers', repliers],
  ['0082-content-language', contentLanguage],
  ['0090-space-maps', spaceMaps],
];
