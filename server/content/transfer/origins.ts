import type { GitOrigin } from '../repository/types.ts';
import type { WrittenRepository } from '../repository/write/repository.ts';
import type { ContentChange } from '../tree/change.ts';
import type { Content } from '../tree/content.ts';
import { isSameRecord } from '../tree/dates.ts';
import { walk } from '../tree/records.ts';

/** The origins of content in a repository, by the IDs of its entities. An import recognizes entities by them. */
export interface GitOrigins {
  /** Origins of documents. */
  pages: Map<string, GitOrigin>;
  /** Keys of all other pages, as assigned by the reader. */
  origins: Map<string, string>;
  files: Map<string, GitOrigin>;
  reusableContents: Map<string, GitOrigin>;
}

/**
 * Returns the origins of content in a commit.
 *
 * @param oids of the files of the commit, by path
 */
export function originsOf(
  { paths, keys }: Pick<WrittenRepository, 'paths' | 'keys'>,
  oids: ReadonlyMap<string, string>,
): GitOrigins {
  const locate = (pathsById: ReadonlyMap<string, string>) =>
    new Map(
      [...pathsById].flatMap(([id, path]) => {
        const oid = oids.get(path);
        return oid === undefined ? [] : [[id, { oid, path }] as const];
      }),
    );
  return {
    pages: locate(paths.pages),
    origins: new Map([...keys].filter(([id]) => !paths.pages.has(id))),
    files: locate(paths.files),
    reusableContents: locate(paths.reusableContents),
  };
}

/** Reads the origins of content. */
export async function readGitOrigins(content: Content): Promise<GitOrigins> {
  const gitOrigins: GitOrigins = {
    pages: new Map(),
    origins: new Map(),
    files: new Map(),
    reusableContents: new Map(),
  };
  for (const { record } of walk(await content.readTree())) {
    if (record.git) {
      gitOrigins.pages.set(record.id, record.git);
    } else if (record.origin !== undefined) {
      gitOrigins.origins.set(record.id, record.origin);
    }
  }
  for (const { id, git } of await content.listFiles()) {
    if (git) {
      gitOrigins.files.set(id, git);
    }
  }
  for (const { id, git } of await content.readReusableContents()) {
    if (git) {
      gitOrigins.reusableContents.set(id, git);
    }
  }
  return gitOrigins;
}

/** Returns the paths of the content. */
export function pathsOf({ pages, files, reusableContents }: GitOrigins): Set<string> {
  return new Set(
    [pages, files, reusableContents].flatMap((origins) => [...origins.values()].map(({ path }) => path)),
  );
}

/** Returns the change that sets the origins of content, for entities that still exist. Its dates are unchanged. */
export async function recordOrigins(content: Content, gitOrigins: GitOrigins): Promise<ContentChange> {
  const records = await content.readPages([...gitOrigins.pages.keys(), ...gitOrigins.origins.keys()]);
  const pages = [...records.values()].flatMap((record) => {
    const git = gitOrigins.pages.get(record.id);
    const origin = gitOrigins.origins.get(record.id);
    const isDocument = record.type === 'document';
    const updated = {
      ...record,
      ...(isDocument && git && { git }),
      ...(!isDocument && origin !== undefined && { origin }),
    };
    return isSameRecord(updated, record) ? [] : [[record.id, updated] as const];
  });
  const files = (await content.listFiles()).flatMap((file) => {
    const git = gitOrigins.files.get(file.id);
    return git && !isSameRecord(git, file.git ?? {}) ? [[file.id, { ...file, git }] as const] : [];
  });
  const reusables = await content.readReusableContents();
  return {
    pages: new Map(pages),
    files: new Map(files),
    reusableContents: reusables.map((reusable) => {
      const git = gitOrigins.reusableContents.get(reusable.id);
      return git ? { ...reusable, git } : reusable;
    }),
  };
}

/**
 * Returns the origin of an entity in another repository than that of the last synchronization. Its path is that of the
 * repository; the object ID is that of its current content, which may have changed since.
 *
 * @param origins of the repository; if omitted, it is that of the last synchronization
 */
export function relocated(
  git: GitOrigin | undefined,
  origins: ReadonlyMap<string, GitOrigin> | undefined,
  id: string,
): GitOrigin | undefined {
  const origin = origins?.get(id);
  if (origins === undefined || git === undefined) {
    return git;
  }
  return origin && { oid: git.oid, path: origin.path };
}
