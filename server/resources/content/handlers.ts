import { bodyOf } from '../../content/store/body.ts';
import { openContent } from '../../content/store/content.ts';
import { presentFile, presentPage, presentPages, presentRevision } from '../../content/store/present.ts';
import { notFound } from '../../contract/errors.ts';
import type { Services, Slice } from '../slice.ts';
import { answerFiles } from './files.ts';
import { revisionOfSpace } from './revision.ts';
import { viewOf } from './view.ts';

/** The content of spaces, read (description, Space content). */
export function contentHandlers(
  services: Services,
): Slice<'getSpaceContent' | 'getSpacePageTree' | 'listSpaceFiles' | 'getSpaceFile' | 'getSpacePage'> {
  const { database, addresses } = services;
  return {
    async getSpaceContent({ path, query }, { caller }) {
      const revision = await revisionOfSpace(database.query, caller.user.id, path.spaceId);
      const content = await openContent(database.query, revision);
      const parts = {
        pages: await content.readTree(),
        files: await content.listFiles(),
        reusableContents: await content.readReusableContents(),
        variables: await content.readVariables(),
      };
      const urls = addresses.revision(path.spaceId, revision.id);
      const fields = presentRevision(revision, parts, viewOf(services, revision, query), urls);
      // Merges come with the change requests; no other operation makes a revision of that type.
      if (revision.type === 'merge') throw new Error(`Revision ${revision.id} says it is a merge.`);
      return { ...fields, type: revision.type };
    },

    async getSpacePageTree({ path, query }, { caller }) {
      const revision = await revisionOfSpace(database.query, caller.user.id, path.spaceId);
      const content = await openContent(database.query, revision);
      return { pages: presentPages(await content.readTree(), viewOf(services, revision, query)) };
    },

    async listSpaceFiles({ path, query }, { caller }) {
      const revision = await revisionOfSpace(database.query, caller.user.id, path.spaceId);
      const content = await openContent(database.query, revision);
      const view = viewOf(services, revision, query);
      return answerFiles(services, await content.listFiles(), query, {
        list: 'listSpaceFiles',
        owner: path.spaceId,
        present: (file) => presentFile(file, view),
      });
    },

    async getSpaceFile({ path, query }, { caller }) {
      const revision = await revisionOfSpace(database.query, caller.user.id, path.spaceId);
      const file = await (await openContent(database.query, revision)).readFile(path.fileId);
      if (!file) throw notFound('file');
      return presentFile(file, viewOf(services, revision, query));
    },

    async getSpacePage({ path, query }, { caller }) {
      const revision = await revisionOfSpace(database.query, caller.user.id, path.spaceId);
      const content = await openContent(database.query, revision);
      const node = await content.readPage(path.pageId);
      if (!node) throw notFound('page');
      return presentPage(node, viewOf(services, revision, query), await bodyOf(content, node.record, query));
    },
  };
}
