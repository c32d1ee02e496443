import { requireInOrganization } from '../../../identity/membership.ts';
import { decodeImage } from '../../kit/images.ts';
import { answerList } from '../../kit/list.ts';
import { creationLock } from '../../kit/locks.ts';
import type { Slice } from '../../kit/slice.ts';
import { presentOrganizationFile } from './present.ts';
import { organizationFileOf, organizationFilesOf } from './queries.ts';
import { createOrganizationFile, deleteOrganizationFile } from './rules.ts';

/** Handlers of the images of an organization. */
export const organizationFileHandlers = {
  async listOrganizationFiles({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const organization = path.organizationId;
    await requireInOrganization(queries, ctx.caller.id, organization, 'createContent');
    return await answerList(ctx, organizationFilesOf(queries, organization), query, {
      list: 'listOrganizationFiles',
      filters: { organization },
      order: [
        { column: 'organizationFiles.createdAt', direction: 'asc' },
        { column: 'organizationFiles.id', direction: 'asc' },
      ],
      present: (row) => presentOrganizationFile(row, ctx.resourceUrls),
    });
  },

  async createOrganizationFile({ path, body }, ctx) {
    const organization = path.organizationId;
    // Before the image is decoded.
    await requireInOrganization(ctx.database.query, ctx.caller.id, organization, 'createContent');
    const image = decodeImage(body.base64);
    const row = await ctx.database.transaction(
      (trx) => createOrganizationFile(trx, ctx, { organization, name: body.name, image }),
      { lock: creationLock(organization) },
    );
    return presentOrganizationFile(row, ctx.resourceUrls);
  },

  async getOrganizationFile({ path }, { caller, database: { query: queries }, resourceUrls }) {
    const organization = path.organizationId;
    await requireInOrganization(queries, caller.id, organization, 'createContent');
    const row = await organizationFileOf(queries, organization, path.organizationFileId);
    return presentOrganizationFile(row, resourceUrls);
  },

  async deleteOrganizationFile({ path }, ctx) {
    const name = { organization: path.organizationId, file: path.organizationFileId };
    await ctx.database.transaction((trx) => deleteOrganizationFile(trx, ctx, name));
  },
} satisfies Slice;
