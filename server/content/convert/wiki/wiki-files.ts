/** Fetches the files of wikis. Threads convert them. */
import type { AllowedRanges } from '../../../outgoing/addresses.ts';
import { OutgoingError } from '../../../outgoing/errors.ts';
import { cloneRepository, type GitRepository } from '../../../outgoing/git/git.ts';
import { readScratch, type ScratchFile, type ScratchRange } from '../../../threads/scratch-file.ts';
import { UnreadableError } from '../errors.ts';
import type { ConvertLimits, SourceFiles } from '../types.ts';

/** Possible branches of a wiki, the usual one first. */
const BRANCHES = ['master', 'main'];

/** The files of a wiki in a file on disk, for a thread of this process. */
export interface WikiFiles {
  /** Descriptor of the {@link ScratchFile}, which must remain open. */
  descriptor: number;
  /** Ranges by path. */
  ranges: ReadonlyMap<string, ScratchRange>;
}

/** Returns the files of a wiki. */
export function wikiFiles({ descriptor, ranges }: WikiFiles): SourceFiles {
  return new Map(
    Array.from(ranges, ([path, range]) => [
      path,
      { size: range.length, read: () => readScratch(descriptor, range) },
    ]),
  );
}

/**
 * Fetches the files of a GitHub wiki, which is a separate Git repository next to that of its project. At most a part
 * of one file is in memory at a time.
 *
 * @param url the page of the wiki (`https://github.com/owner/project/wiki`), or the repository itself
 * @param options.into an empty file that receives the content
 * @throws OutgoingError if the repository does not exist or must not be called
 * @throws UnreadableError if it exceeds the limit
 */
export async function fetchWiki(
  url: URL,
  {
    limits,
    into,
    ...outgoing
  }: { limits: ConvertLimits; into: ScratchFile; allow: AllowedRanges; folder: string; signal: AbortSignal },
): Promise<WikiFiles> {
  const bounds = { bytes: limits.bytes, contentBytes: limits.bytes, milliseconds: limits.milliseconds };
  await using repository = await clone(repositoryOf(url), { ...outgoing, limits: bounds });
  const { files } = await repository.readTree();
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > limits.bytes) {
    throw new UnreadableError(`The files exceed ${limits.bytes} bytes. Import the wiki in parts.`);
  }
  const contents = new Map<string, ScratchRange>();
  for await (const { oid, chunks } of repository.streamBlobs(new Set(files.map((file) => file.oid)))) {
    contents.set(oid, await into.appendAll(chunks));
  }
  const ranges = new Map<string, ScratchRange>();
  for (const { path, oid } of files) {
    ranges.set(path, contents.get(oid) ?? { position: 0, length: 0 });
  }
  return { descriptor: into.descriptor, ranges };
}

async function clone(
  url: string,
  options: Omit<Parameters<typeof cloneRepository>[0], 'url' | 'ref'>,
): Promise<GitRepository> {
  const [first = '', ...others] = BRANCHES;
  const refOf = (branch: string) => `refs/heads/${branch}`;
  try {
    return await cloneRepository({ ...options, url, ref: refOf(first) });
  } catch (error) {
    if (!(error instanceof OutgoingError) || error.code !== 'not-found') {
      throw error;
    }
    return await cloneRepository({ ...options, url, ref: refOf(others[0] ?? first) });
  }
}

function repositoryOf(url: URL): string {
  const [, project] = /^(\/[^/]+\/[^/]+)\/wiki(?:\/|$)/.exec(url.pathname) ?? [];
  return project === undefined ? url.href : new URL(`${project}.wiki.git`, url).href;
}
