import { operations } from '../../../../generated/operations.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { ContractError } from '../../../contract/errors.ts';
import type { OperationId } from '../../kit/slice.ts';

/** Reads the response of an operation with values of its path and query, as an admin of the organization receives it. */
export type ReadOperation = (
  operationId: OperationId,
  path: Readonly<Record<string, string>>,
  query: object,
) => Promise<unknown>;

/** Number of items that are requested at a time. */
const BATCH_ITEMS = 100;

/** Resources to export, and those that each of them has. */
interface Exported {
  /** Reads the resource, or a page of a list. */
  operation: OperationId;
  /** Other parameters of its query: the resources of each are exported. */
  queries?: readonly object[];
  /** Parameter of the paths of its parts, and the property with its value. */
  id?: readonly [parameter: string, property: string];
  parts?: readonly Exported[];
}

const withoutParts = (...operations: OperationId[]): Exported[] =>
  operations.map((operation) => ({ operation }));

/** Without a status, the API lists open change requests. A status that is missing here is a compile error. */
const STATUSES: Readonly<Record<components['schemas']['ChangeRequestStatus'], object>> = {
  draft: { status: 'draft' },
  open: { status: 'open' },
  archived: { status: 'archived' },
  merged: { status: 'merged' },
};

const CHANGE_REQUESTS: Exported = {
  operation: 'listChangeRequests',
  queries: Object.values(STATUSES),
  id: ['changeRequestId', 'id'],
  parts: [
    {
      operation: 'listChangeRequestComments',
      id: ['commentId', 'id'],
      parts: withoutParts('listChangeRequestCommentReplies'),
    },
    ...withoutParts('listChangeRequestReviews', 'listRequestedReviewers'),
  ],
};

const SPACES: Exported = {
  operation: 'listSpaces',
  id: ['spaceId', 'id'],
  parts: [
    ...withoutParts(
      'listSpaceUserGrants',
      'listSpaceTeamGrants',
      'listContentImportRuns',
      'getGitInfo',
      'listGitRuns',
    ),
    {
      operation: 'listSpaceComments',
      id: ['commentId', 'id'],
      parts: withoutParts('listSpaceCommentReplies'),
    },
    CHANGE_REQUESTS,
  ],
};

const SITES: Exported = {
  operation: 'listSites',
  id: ['siteId', 'id'],
  parts: withoutParts(
    'getSiteCustomization',
    'getSiteAdaptiveSchema',
    'listSiteSections',
    'listSiteSectionGroups',
    'listSiteSpaces',
    'listSiteRedirects',
    'listSiteFeedback',
  ),
};

/** What an organization owns besides content, as the operations of the contract return it. */
const ORGANIZATION: readonly Exported[] = [
  ...withoutParts('getOrganization', 'listMembers'),
  { operation: 'listTeams', id: ['teamId', 'id'], parts: withoutParts('listTeamMembers') },
  {
    operation: 'listCollections',
    id: ['collectionId', 'id'],
    parts: withoutParts('listCollectionUserGrants', 'listCollectionTeamGrants'),
  },
  SPACES,
  SITES,
  { operation: 'listOpenAPISpecs', id: ['specSlug', 'slug'], parts: withoutParts('listOpenAPISpecVersions') },
  ...withoutParts('listTranslations', 'listSamlProviders', 'listOrganizationFiles'),
];

/** The operations whose resources are exported. */
export const EXPORTED_OPERATIONS: readonly OperationId[] = operationsIn(ORGANIZATION);

function operationsIn(exported: readonly Exported[]): OperationId[] {
  return exported.flatMap(({ operation, parts = [] }) => [operation, ...operationsIn(parts)]);
}

/** A resource in the form of the contract. */
export interface ExportedResource {
  /** The operation that returned it, alone or as an item of its list. */
  operation: OperationId;
  /** The values of the path of the operation. */
  path: Readonly<Record<string, string>>;
  resource: unknown;
}

/** Reads the resources of an organization, each followed by its parts. What does not exist is omitted. */
export function exportedResources(
  read: ReadOperation,
  organization: string,
): AsyncGenerator<ExportedResource> {
  return resourcesOf(read, ORGANIZATION, { organizationId: organization });
}

async function* resourcesOf(
  read: ReadOperation,
  exported: readonly Exported[],
  path: Readonly<Record<string, string>>,
): AsyncGenerator<ExportedResource> {
  for (const { operation, queries = [{}], id, parts = [] } of exported) {
    for (const query of queries) {
      for await (const resource of readAll(read, operation, path, query)) {
        yield { operation, path, resource };
        if (id) {
          const [parameter, property] = id;
          const value = propertyOf(resource, property);
          yield* resourcesOf(read, parts, { ...path, [parameter]: String(value) });
        }
      }
    }
  }
}

/** Reads the resource of an operation, or the items of all pages of its list. */
async function* readAll(
  read: ReadOperation,
  operation: OperationId,
  path: Readonly<Record<string, string>>,
  query: object,
): AsyncGenerator {
  if (!operations[operation].list) {
    const resource = await unlessMissing(() => read(operation, path, query));
    if (resource !== undefined) {
      yield resource;
    }
    return;
  }
  for (let page: unknown; ; ) {
    const response = await read(operation, path, {
      ...query,
      limit: BATCH_ITEMS,
      ...(page !== undefined && { page }),
    });
    const items = propertyOf(response, 'items');
    if (!Array.isArray(items)) {
      throw new Error(`${operation} returned no list.`);
    }
    yield* items;
    page = propertyOf(propertyOf(response, 'next'), 'page');
    if (page === undefined) {
      return;
    }
  }
}

/** Some resources, such as the synchronization of a space, need not exist. */
async function unlessMissing(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ContractError && error.status === 404) {
      return undefined;
    }
    throw error;
  }
}

const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
