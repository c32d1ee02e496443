import type { components } from '../../../generated/schema.d.ts';
import { JsonBytes } from '../../contract/json.ts';
import type { Transaction } from '../../database/database.ts';
import { isUniqueViolation } from '../../database/errors.ts';
import { requireMember } from '../../identity/access.ts';
import type { CallerId } from '../../identity/caller.ts';
import { presentSpec, presentVersion } from '../../models/openapi-specs/present.ts';
import {
  type SpecName,
  specFor,
  specsOf,
  versionFor,
  versionsOf,
} from '../../models/openapi-specs/queries.ts';
import { answerList } from '../kit/list.ts';
import type { HandlersOf, Services } from '../kit/slice.ts';
import { createSpec, deleteSpec, putSpec, slugTaken, updateSpec } from './rules.ts';

type Schemas = components['schemas'];

/** Creates the handlers of OpenAPI specifications and their versions. Any member can read them. */
export function openAPISpecHandlers(
  services: Services,
): HandlersOf<
  | 'listOpenAPISpecs'
  | 'createOpenAPISpec'
  | 'getOpenAPISpec'
  | 'putOpenAPISpec'
  | 'deleteOpenAPISpec'
  | 'updateOpenAPISpec'
  | 'listOpenAPISpecVersions'
  | 'getLatestOpenAPISpecVersion'
  | 'getLatestOpenAPISpecVersionContent'
  | 'getOpenAPISpecVersion'
  | 'getOpenAPISpecVersionContent'
> {
  const { database, addresses } = services;
  const named = (path: { organizationId: string; specSlug: string }): SpecName => ({
    organization: path.organizationId,
    slug: path.specSlug,
  });

  /** Changes a specification in a transaction, and returns it as the caller sees it afterwards. */
  const changed = async (user: CallerId, name: SpecName, work: (trx: Transaction) => Promise<void>) => {
    try {
      return await database.transaction(async (trx) => {
        await work(trx);
        const { row, access } = await specFor(trx, user, name, 'view');
        return presentSpec(row, access.role, addresses);
      });
    } catch (error) {
      // A concurrent request used the same slug.
      if (isUniqueViolation(error)) {
        throw slugTaken(name.slug);
      }
      throw error;
    }
  };

  const readVersion = async (user: CallerId, name: SpecName, id?: string) => {
    const { spec, version } = await versionFor(database.query, user, name, id);
    return presentVersion(version, spec.slug, services);
  };

  const readVersionContent = async (
    user: CallerId,
    name: SpecName,
    id?: string,
  ): Promise<Schemas['OpenAPIVersionContent']> => {
    const { spec, version } = await versionFor(database.query, user, name, id);
    const { format, document } = await database.query
      .selectFrom('openAPISpecVersions')
      .select(['format', 'document'])
      .where('id', '=', version.id)
      .executeTakeFirstOrThrow();
    return {
      // Sent as stored, because it can have tens of megabytes.
      filesystem: { [`openapi.${format}`]: JsonBytes.of<Record<string, unknown>>(Buffer.from(document)) },
      url: presentVersion(version, spec.slug, services).url,
    };
  };

  return {
    async listOpenAPISpecs({ path, query }, { caller }) {
      const access = await requireMember(database.query, caller.id, path.organizationId);
      return await answerList(services, specsOf(database.query, path.organizationId), query, {
        list: 'listOpenAPISpecs',
        count: { organization: path.organizationId, kind: 'OpenAPI specs' },
        filters: { organization: path.organizationId },
        order: [
          { column: 'createdAt', direction: 'asc' },
          { column: 'id', direction: 'asc' },
        ],
        present: (row) => presentSpec(row, access.role, addresses),
      });
    },

    async createOpenAPISpec({ path, body }, { caller }) {
      const name = { organization: path.organizationId, slug: body.slug };
      return await changed(caller.id, name, (trx) => createSpec(trx, services, caller.id, name, body.source));
    },

    async getOpenAPISpec({ path }, { caller }) {
      const { row, access } = await specFor(database.query, caller.id, named(path), 'view');
      return presentSpec(row, access.role, addresses);
    },

    async putOpenAPISpec({ path, body }, { caller }) {
      return await changed(caller.id, named(path), (trx) =>
        putSpec(trx, services, caller.id, named(path), body.source),
      );
    },

    async deleteOpenAPISpec({ path }, context) {
      await database.transaction((trx) => deleteSpec(trx, services, context, named(path)));
    },

    async updateOpenAPISpec({ path, body }, context) {
      return await changed(context.caller.id, named(path), (trx) =>
        updateSpec(trx, services, context, named(path), body),
      );
    },

    async listOpenAPISpecVersions({ path, query }, { caller }) {
      const { row } = await specFor(database.query, caller.id, named(path), 'view');
      return await answerList(services, versionsOf(database.query, row.id), query, {
        list: 'listOpenAPISpecVersions',
        count: { organization: row.organization, kind: 'OpenAPI spec versions', owner: row.id },
        filters: { spec: row.id },
        order: [
          { column: 'createdAt', direction: 'asc' },
          { column: 'id', direction: 'asc' },
        ],
        present: (version) => presentVersion(version, row.slug, services),
      });
    },

    getLatestOpenAPISpecVersion: ({ path }, { caller }) => readVersion(caller.id, named(path)),
    getLatestOpenAPISpecVersionContent: ({ path }, { caller }) => readVersionContent(caller.id, named(path)),
    getOpenAPISpecVersion: ({ path }, { caller }) => readVersion(caller.id, named(path), path.versionId),
    getOpenAPISpecVersionContent: ({ path }, { caller }) =>
      readVersionContent(caller.id, named(path), path.versionId),
  };
}
