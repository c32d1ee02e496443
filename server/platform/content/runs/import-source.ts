import type { components } from '../../../../generated/schema.d.ts';
import { UnreadableError } from '../../../content/convert/errors.ts';
import { IMPORT_TASK_LIMITS } from '../../../content/convert/limits.ts';
import type { Addition } from '../../../content/convert/plan.ts';
import type { ImportInput, ImportOutput } from '../../../content/convert/tasks.ts';
import type { ConvertLimits } from '../../../content/convert/types.ts';
import { fetchWiki } from '../../../content/convert/wiki/wiki-files.ts';
import type { ContentProblem } from '../../../content/repository/types.ts';
import type { PendingFiles } from '../../../content/store/pending-files.ts';
import { fieldInvalid } from '../../../errors/errors.ts';
import { formatAllowedRanges } from '../../../outgoing/addresses.ts';
import { OutgoingError } from '../../../outgoing/errors.ts';
import { ScratchFile } from '../../../threads/scratch-file.ts';
import { TaskLimitError } from '../../../threads/threads.ts';
import type { Services } from '../../kit/slice.ts';
import { FileReceiver } from './file-receiver.ts';

type Schemas = components['schemas'];

/** Descriptions of the sources, for error messages. */
const SOURCE_DESCRIPTIONS: Record<Schemas['ImportSource'], string> = {
  website: 'a website',
  docx: 'a Word document',
  markdown: 'a markdown file',
  html: 'an HTML document',
  zip: 'a ZIP archive of markdown or HTML files',
  confluence: 'a ZIP archive that Confluence exported as HTML',
  'github-wiki': 'a wiki on GitHub',
  notion: 'a ZIP archive that Notion exported as markdown or HTML',
  'google-docs': 'a Google document that anyone can read',
};

/** The content to add, how many of the source's pages and files were imported, and what was omitted. */
export type ReadSource = Omit<Addition, 'bytes'> & {
  imported: number;
  total: number;
  problems: ContentProblem[];
};

/** The source of an import. */
export interface ImportSource {
  url: URL;
  source: Schemas['ImportSource'];
  /** The field of the request that contains the URL; `url` by default. */
  field?: string;
}

/** Services that reading a source requires. */
export type SourceServices = Pick<Services, 'outgoing' | 'threads' | 'clock' | 'log'> & {
  signal: AbortSignal;
};

/**
 * Fetches and converts the source of an import in a thread, within the limits. Files are stored as pending `files`,
 * which the caller of this function has to publish.
 *
 * @throws ContractError 400 if the URL cannot be fetched, is not of the specified source, or exceeds the limits
 * @throws ThreadsBusyError if too many imports are waiting
 */
export async function readSource(
  { outgoing, threads, clock, log, signal }: SourceServices,
  { url, source, field = 'url' }: ImportSource,
  { files, limits }: { files: PendingFiles; limits: ConvertLimits },
): Promise<ReadSource> {
  const refused = (message: string, cause: unknown) => {
    log.info({ source, err: cause }, 'the source of an import could not be read');
    return fieldInvalid(
      field,
      `must be the URL of ${SOURCE_DESCRIPTIONS[source]}: ${message.replace(/\.$/, '')}`,
    );
  };
  const input: ImportInput = {
    source,
    url: url.href,
    limits,
    allow: formatAllowedRanges(outgoing.allow),
    folder: outgoing.folder,
    now: clock(),
  };
  using receiver = new FileReceiver(files);
  using fetched = source === 'github-wiki' ? new ScratchFile(outgoing.folder) : undefined;
  let output: ImportOutput;
  try {
    if (fetched) {
      input.wiki = await fetchWiki(url, { ...outgoing, limits, signal, into: fetched });
    }
    output = await threads.importing.run('importSource', input, {
      owner: files.organization,
      bytes: url.href.length,
      signal,
      host: receiver.host,
      limits: { ...IMPORT_TASK_LIMITS, timeMs: limits.milliseconds + IMPORT_TASK_LIMITS.timeMs },
    });
  } catch (error) {
    if (receiver.failure !== undefined) {
      throw receiver.failure;
    }
    if (signal.aborted) {
      throw refused('The caller aborted the request', error);
    }
    if (error instanceof TaskLimitError) {
      throw refused(`Converting it exceeds the ${error.limit} limit of an import. Import it in parts`, error);
    }
    if (!(error instanceof OutgoingError) && !(error instanceof UnreadableError)) {
      throw error;
    }
    throw refused(error.message, error);
  }
  if ('refusal' in output) {
    throw refused(output.refusal, output.cause);
  }
  return output;
}
