import type { components } from '../../../../generated/schema.d.ts';
import type { Source } from '../../../content/links/keys.ts';
import { placeOfPage } from '../../../content/links/resolve.ts';
import type { RevisionRow } from '../../../content/store/revisions.ts';
import { Documents } from '../../../content/threads/documents.ts';
import type { Content, PagePlace } from '../../../content/tree/content.ts';
import type { FileRecord, ReusableRecord } from '../../../content/tree/records.ts';
import { presentChangeRequest } from '../../../models/change-requests/present.ts';
import { mergedBy } from '../../../models/change-requests/queries.ts';
import type { FoundBranch } from '../../../models/content-branches/queries.ts';
import { presentOrganization } from '../../../models/organizations/present.ts';
import {
  type ContentView,
  presentFile,
  presentPage,
  presentReusableContent,
  presentRevision,
} from '../../../models/revisions/present.ts';
import { presentSpace } from '../../../models/spaces/present.ts';
import { countSpace } from '../../../models/spaces/queries.ts';
import type { Services } from '../../kit/slice.ts';
import { viewOf } from '../../kit/view.ts';

type Schemas = components['schemas'];
type Location = Schemas['Location'];
type Position = Schemas['InternalLocation'];

/** Presents locations in the content of a branch. Their common fields are read once. */
export class Locations {
  readonly organization: Schemas['Organization'];
  readonly space: Schemas['Space'];
  readonly #common: Pick<Schemas['PageLocation'], 'organization' | 'space' | 'versionContext'>;
  readonly #content: Content;
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
    this.#content = content;
    this.#view = view;
  }

  /** Reads the common fields of the locations of a content branch. */
  static async of(
    services: Services,
    branch: FoundBranch,
    { revision, content }: { revision: RevisionRow; content: Content },
  ): Promise<Locations> {
    const { query } = services.database;
    const row = await query
      .selectFrom('organizations')
      .selectAll()
      .where('id', '=', branch.space.organization)
      .executeTakeFirstOrThrow();
    const view = viewOf(services, revision, { metadata: true });
    const common = {
      organization: presentOrganization(row, branch.access.role ?? null, services.addresses),
      space: presentSpace(await countSpace(query, branch.space), branch.access, services.addresses),
      versionContext: await versionContext(services, branch, revision, view),
    };
    return new Locations(common, content, view);
  }

  page(place: PagePlace, position?: Position): Location {
    return {
      kind: 'page',
      ...this.#common,
      page: presentPage({ ...place, pages: [] }, this.#view),
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
   * Presents the sources of links, reading all of them at once. They come from the index of the same content, so they
   * exist.
   *
   * @param positionIn returns the position of the link in a page, if there is one
   */
  async sources(
    lists: ReadonlyArray<readonly Source[]>,
    positionIn?: (place: PagePlace) => Promise<Position | undefined>,
  ): Promise<Location[][]> {
    const all = lists.flat();
    const places = await this.#content.readPlaces(
      new Set(all.flatMap((source) => (source.kind === 'page' ? [source.id] : []))),
    );
    const reusables = all.some(({ kind }) => kind === 'reusable-content')
      ? await this.#content.readReusableContents()
      : [];
    const present = async (source: Source): Promise<Location[]> => {
      if (source.kind === 'space') {
        return [this.ofSpace()];
      }
      if (source.kind === 'page') {
        const place = places.get(source.id);
        return place ? [this.page(place, await positionIn?.(place))] : [];
      }
      const record = reusables.find(({ id }) => id === source.id);
      return record ? [this.reusable(record)] : [];
    };
    const presented: Location[][] = [];
    for (const sources of lists) {
      const locations: Location[] = [];
      // One at a time, so that the work of `positionIn` does not fill the queue of the threads.
      for (const source of sources) {
        locations.push(...(await present(source)));
      }
      presented.push(locations);
    }
    return presented;
  }
}

/** Presents the version of the content: the change request, or the revision without its trees. */
async function versionContext(
  services: Services,
  { changeRequest }: FoundBranch,
  revision: RevisionRow,
  view: ContentView,
): Promise<Schemas['VersionContext']> {
  const { addresses, database } = services;
  if (changeRequest) {
    return { type: 'changeRequest', changeRequest: presentChangeRequest(changeRequest, addresses) };
  }
  const parts = { pages: [], files: [], reusableContents: [], variables: {} };
  const fields = await presentRevision(
    revision,
    parts,
    view,
    addresses.revision(revision.space, revision.id),
  );
  if (revision.type !== 'merge') {
    return { type: 'revision', revision: { ...fields, type: revision.type } };
  }
  const mergedFrom = presentChangeRequest(await mergedBy(database.query, revision.id), addresses);
  return { type: 'revision', revision: { ...fields, type: 'merge', mergedFrom } };
}

/** Finds the blocks of a page that contain links, by the names of the links (see `nodesByLink`) that it contains. */
export async function nodesOf(
  { threads }: Services,
  { space }: FoundBranch,
  content: Content,
  { record, path }: PagePlace,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (record.type !== 'document') {
    return new Map();
  }
  const place = placeOfPage(record, path);
  const documents = new Documents(threads, space.organization);
  return await documents.linkNodes(await content.readBody(record), { page: record.id, place, names });
}
