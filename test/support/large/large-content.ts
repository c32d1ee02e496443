import { sql } from 'kysely';
import type { Database } from '../../../server/database/database.ts';
import { engineOf } from '../../../server/database/engine.ts';
import { BEFORE_FIRST_RUN } from '../../../server/platform/translations/translations/queries.ts';
import { FIRST_NUMBER, fill, idOf, TIME } from './fill-table.ts';

/** A space of the organization and the number of rows of each kind to fill it with. */
interface FilledSpace {
  organization: string;
  space: { id: string; revision: string };
  count: number;
}

/** Creates specifications; the first one has as many versions. */
export async function fillSpecs(database: Database, organization: string, count: number): Promise<void> {
  const spec = {
    organization,
    visibility: 'private',
    sourceURL: null,
    sourceText: null,
    generation: 1,
    processingState: 'complete',
    lastVersion: null,
    lastProcessedAt: null,
    lastProcessErrorCode: null,
    createdAt: TIME,
    updatedAt: TIME,
  };
  await fill(database, 'openAPISpecs', count, { ...spec, id: idOf('api'), slug: sql`'spec-' || i` });
  await fill(database, 'openAPISpecVersions', count, {
    id: idOf('ver'),
    organization,
    spec: `api_${FIRST_NUMBER}`,
    hash: 'hash',
    format: 'json',
    text: '{}',
    document: '{}',
    createdAt: TIME,
  });
}

/** Creates translations of a space. */
export async function fillTranslations(
  database: Database,
  { organization, space, count }: FilledSpace,
): Promise<void> {
  await fill(database, 'translations', count, {
    id: idOf('trn'),
    organization,
    sourceSpace: space.id,
    sourceLanguage: 'en',
    language: 'de',
    instructions: '{"object":"document","data":{},"nodes":[]}',
    ...BEFORE_FIRST_RUN,
    createdBy: idOf('usr'),
    createdAt: TIME,
    updatedAt: TIME,
  });
}

/** Creates change requests of a space, each with a revision. */
export async function fillChangeRequests(
  database: Database,
  { organization, space, count }: FilledSpace,
): Promise<void> {
  const { revision } = space;
  await fill(database, 'changeRequests', count, {
    id: idOf('crq'),
    organization,
    space: space.id,
    number: sql`i`,
    status: sql`case i % 10 when 0 then 'draft' else 'open' end`,
    subject: 'Change',
    createdBy: idOf('usr'),
    createdAt: TIME,
    updatedAt: TIME,
    revision,
    revisionInitial: revision,
    revisionMergedAncestor: null,
    revisionMerged: null,
    agentTaskId: null,
  });
  await fill(database, 'revisions', count, {
    id: idOf('rev'),
    organization,
    space: space.id,
    type: 'edits',
    root: 'root',
    parents: '[]',
    git: null,
    createdAt: TIME,
    createdBy: idOf('usr'),
    changeRequest: idOf('crq'),
  });
}

/** Creates comments on a space and on one of its change requests, and as many replies to the first of each. */
export async function fillComments(
  database: Database,
  { organization, space, changeRequest, count }: FilledSpace & { changeRequest: string },
): Promise<void> {
  const comment = {
    organization,
    space: space.id,
    page: null,
    node: null,
    nodePreview: null,
    cellRecord: null,
    cellDefinition: null,
    revision: space.revision,
    body: 'Is this still so?',
    status: 'open',
    resolvedAt: null,
    resolvedBy: null,
    // A thousand people, each with as many comments.
    postedBy: sql`'usr_' || (${sql.lit(FIRST_NUMBER)} + i % ${sql.lit(Math.min(count, 1000))})`,
    postedAt: TIME,
    editedAt: null,
  };
  for (const [prefix, changeRequestId] of [
    ['cms', null],
    ['cmc', changeRequest],
  ] as const) {
    await fill(database, 'comments', count, {
      ...comment,
      id: idOf(prefix),
      changeRequest: changeRequestId,
      parent: null,
    });
    await fill(database, 'comments', count, {
      ...comment,
      id: idOf(`${prefix}r`),
      changeRequest: changeRequestId,
      parent: `${prefix}_${FIRST_NUMBER}`,
    });
  }
}

/** Creates an import run of each of some spaces. */
export async function fillImportRuns(
  database: Database,
  { organization, count }: { organization: string; count: number },
): Promise<void> {
  await fill(database, 'runs', count, {
    id: idOf('run'),
    organization,
    space: idOf('spc'),
    kind: 'import',
    url: 'https://example.com/guide.md',
    status: 'completed',
    progress: 100,
    pages: 1,
    files: 0,
    problemCount: 0,
    problems: '[]',
    createdAt: TIME,
    endedAt: TIME,
    request: '{"source":{"type":"website","url":"https://example.com/"}}',
    createdBy: idOf('usr'),
  });
}

/** Creates reviews of a change request, each with a comment, and as many requests for them. */
export async function fillReviews(
  database: Database,
  { organization, space, changeRequest, count }: FilledSpace & { changeRequest: string },
): Promise<void> {
  const { revision } = space;
  const user = idOf('usr');
  const ofChangeRequest = { organization, space: space.id, changeRequest, revision, createdAt: TIME };
  await fill(database, 'requestedReviewers', count, {
    ...ofChangeRequest,
    reviewer: user,
    requestedBy: user,
  });
  await fill(database, 'reviews', count, {
    ...ofChangeRequest,
    id: idOf('rvw'),
    reviewer: user,
    requestedBy: user,
    status: 'approved',
    outdated: sql`i % 2`,
    updatedAt: TIME,
  });
}

/** Creates sections: a hundredth in one space, the others in a space each. Ten have the word "needle", all have "common". */
export async function fillSearch(
  database: Database,
  organization: string,
  { count, space }: { count: number; space: string },
): Promise<void> {
  const isPostgres = engineOf(database.query) === 'postgres';
  const needle = sql`case when i % ${sql.lit(Math.ceil(count / 10))} = 0 then 'needle' else 'hay' end`;
  await fill(database, 'searchSections', count, {
    organization,
    space: sql`case when i % 100 = 1 then ${sql.lit(space)} else ${idOf('spc')} end`,
    page: idOf('pag'),
    section: 'start',
    ordinal: 0,
    title: 'Title',
    pageTitle: 'Page',
    pagePath: 'page',
    anchor: '',
    body: 'A common word.',
    ...(isPostgres && { words: sql`to_tsvector('simple', 'common ' || ${needle})` }),
  });
  if (isPostgres) {
    return;
  }
  await sql`
    insert into "searchWords" ("rowid", "title", "page", "body")
    select "id", 'title', 'page', 'common ' ||
      case when "id" % ${sql.lit(Math.ceil(count / 10))} = 0 then 'needle' else 'hay' end
    from "searchSections" where "organization" = ${organization}`.execute(database.query);
}
