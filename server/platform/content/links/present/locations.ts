import type { components } from '../../../../../generated/schema.d.ts';
import type { Source } from '../../../../content/links/keys.ts';
import type { RevisionRow } from '../../../../content/store/revisions.ts';
import type { Content, LocatedPage } from '../../../../content/tree/content.ts';
import type { FileRecord, ReusableRecord } from '../../../../content/tree/records.ts';
import { presentOrganization } from '../../../accounts/organizations/present.ts';
import type { Context } from '../../../kit/slice.ts';
import { spacePresenter } from '../../../spaces/spaces/present.ts';
import { presentChangeRequest } from '../../change-requests/present.ts';
import { changeRequestOfMerge } from '../../change-requests/queries.ts';
import type { BranchWithAccess } from '../../content-branches/queries.ts';
import {
  type ContentView,
  presentFile,
  presentPage,
  presentReusableContent,
  presentRevision,
} from '../../revisions/present.ts';
import { urlsOfRevision } from '../../revisions/urls.ts';
import { viewOf } from '../../revisions/view.ts';

type Schemas = components['schemas'];
type Location = Schemas['Location'];
type Position = Schemas['InternalLocation'];

/** Presents locations in the content of a branch. Their common fields are read once. */
export class Locations {
  readonly organization: Schemas['Organization'];
  readonly space: Schemas['Space'];
  readonly content: Content;
  readonly #common: Pick<Schemas['PageLocation'], 'organization' | 'space' | 'versionContext'>;
  readonly #view: ContentView;

  private constructor(
    common: {
      organization: Schemas['Organization'];
      space: Schemas['Space'];
      versionContext: Schemas['VersionContext'];
    },
    content: Content,
    view: ContentView,
  ) {
    this.organization = common.organization;
    this.space = common.space;
    this.#common = common;
    this.content = content;
    this.#view = view;
  }

  /** Reads the common fields of the locations of a content branch. */
  static async of(
    ctx: Context,
    branch: BranchWithAccess,
    { revision, content }: { revision: RevisionRow; content: Content },
  ): Promise<Locations> {
    const { query } = ctx.database;
    const row = await query
      .selectFrom('organizations')
      .selectAll()
      .where('id', '=', branch.space.organization)
      .executeTakeFirstOrThrow();
    const view = viewOf(ctx, revision, { metadata: true });
    const common = {
      organization: presentOrganization(row, branch.access.role ?? null, ctx.resourceUrls),
      space: await spacePresenter(query, ctx.resourceUrls)(branch.space, branch.access),
      versionContext: await versionContext(ctx, branch, revision, view),
    };
    return new Locations(common, content, view);
  }

  page(located: LocatedPage, position?: Position): Location {
    return {
      kind: 'page',
      ...this.#common,
      page: presentPage({ ...located, pages: [] }, this.#view),
      ...(position && { internalLocation: position }),
    };
  }

  file(file: FileRecord): Location {
    return { kind: 'file', ...this.#common, file: presentFile(file, this.#view) };
  }

  reusable(record: ReusableRecord): Location {
    const reusableContent = presentReusableContent(record, this.#view);
    return { kind: 'reusable-content', ...this.#common, reusableContent };
  }

  ofSpace(): Location {
    return { kind: 'space', organization: this.organization, space: this.space };
  }

  /**
   * Presents the sources of links, reading all of them at once. They exist: they are from the index of this content.
   *
   * @param positionIn returns the position of the link in a page, if there is one
   */
  async sources(
    sources: readonly Source[],
    positionIn: (located: LocatedPage) => Promise<Position | undefined>,
  ): Promise<Location[]> {
    const pagesById = await this.content.readLocatedPages(
      new Set(sources.flatMap((source) => (source.kind === 'page' ? [source.id] : []))),
    );
    const reusables = sources.some(({ kind }) => kind === 'reusable-content')
      ? await this.content.readReusableContents()
      : [];
    const present = async (source: Source): Promise<Location[]> => {
      if (source.kind === 'space') {
        return [this.ofSpace()];
      }
      if (source.kind === 'page') {
        const located = pagesById.get(source.id);
        return located ? [this.page(located, await positionIn(located))] : [];
      }
      const record = reusables.find(({ id }) => id === source.id);
      return record ? [this.reusable(record)] : [];
    };
    const locations: Location[] = [];
    // One at a time, so that the work of `positionIn` does not fill the queue of the threads.
    for (const source of sources) {
      locations.push(...(await present(source)));
    }
    return locations;
  }
}

/** Presents the version of the content: the change request, or the revision without its trees. */
async function versionContext(
  { resourceUrls, database }: Context,
  { changeRequest }: BranchWithAccess,
  revision: RevisionRow,
  view: ContentView,
): Promise<Schemas['VersionContext']> {
  if (changeRequest) {
    return { type: 'changeRequest', changeRequest: presentChangeRequest(changeRequest, resourceUrls) };
  }
  const parts = { pages: [], files: [], reusableContents: [], variables: {} };
  const fields = presentRevision(
    revision,
    parts,
    view,
    await urlsOfRevision(database.query, revision, resourceUrls),
  );
  if (revision.type !== 'merge') {
    return { type: 'revision', revision: { ...fields, type: revision.type } };
  }
  const mergedFrom = presentChangeRequest(
    await changeRequestOfMerge(database.query, revision.id),
    resourceUrls,
  );
  return { type: 'revision', revision: { ...fields, type: 'merge', mergedFrom } };
}
