import type { components } from '../../../../generated/schema.d.ts';
import { UnreadableError } from '../../../content/convert/html.ts';
import type { Addition } from '../../../content/convert/plan.ts';
import { IMPORT_TASK_LIMITS, type ImportInput, type ImportOutput } from '../../../content/convert/tasks.ts';
import type { ConvertLimits } from '../../../content/convert/types.ts';
import { fetchWiki } from '../../../content/convert/wiki.ts';
import type { PendingFiles } from '../../../content/store/pending-files.ts';
import { fieldInvalid } from '../../../errors.ts';
import { formatAllowedRanges } from '../../../outgoing/addresses.ts';
import { OutgoingError } from '../../../outgoing/errors.ts';
import { ScratchFile } from '../../../threads/scratch-file.ts';
import { TaskLimitError } from '../../../threads/threads.ts';
import type { Services } from '../../kit/slice.ts';
import { FileReceiver } from './file-receiver.ts';

type Schemas = components['schemas'];

/** What each source is, for who named something else. */
const NAMES: Record<Schemas['ImportSource'], string> = {
  website: 'a website',
  docx: 'a Word document',
  markdown: 'a markdown file',
  html: 'an HTML document',
  zip: 'a ZIP archive of markdown or HTML files',
  confluence: 'a ZIP archive that Confluence exported as HTML',
  'github-wiki': 'a wiki on GitHub',
  notion: 'a ZIP archive that Notion exported as markdown or HTML',
  'google-docs': 'a Google document that anyone may read',
};

/** What a source adds, and how many pages and files were taken of how many. */
export type ReadSource = Omit<Addition, 'bytes'> & { imported: number; total: number };

/**
 * Reads what a request to import names, in a thread. Everything is fetched within the limits. Files are stored as
 * `files`, which somebody has to publish.
 *
 * @throws ContractError 400 for the address, where it cannot be called, is not what the source says, or takes too
 *   much to convert
 * @throws ThreadsBusyError where too many imports wait already
 */
export async function readSource(
  services: Services,
  { url, source }: Schemas['ContentImport'],
  { files, limits, signal }: { files: PendingFiles; limits: ConvertLimits; signal: AbortSignal },
): Promise<ReadSource> {
  const address = URL.parse(url);
  if (address === null) throw fieldInvalid('url', 'must be a URL such as https://example.com/docs/');
  const { outgoing, threads, clock, log } = services;
  const refused = (message: string, cause: unknown) => {
    log.info({ source, err: cause }, 'a source of content could not be read');
    return fieldInvalid('url', `must be the URL of ${NAMES[source]}: ${message.replace(/\.$/, '')}`);
  };
  const input: ImportInput = {
    source,
    url: address.href,
    limits,
    allow: formatAllowedRanges(outgoing.allow),
    folder: outgoing.folder,
    now: clock(),
  };
  using receiver = new FileReceiver(files);
  using fetched = source === 'github-wiki' ? new ScratchFile(outgoing.folder) : undefined;
  let output: ImportOutput;
  try {
    if (fetched) input.wiki = await fetchWiki(address, { ...outgoing, limits, signal, into: fetched });
    output = await threads.importing.run('importSource', input, {
      owner: files.organization,
      bytes: url.length,
      signal,
      host: receiver.host,
      limits: { ...IMPORT_TASK_LIMITS, timeMs: limits.milliseconds + IMPORT_TASK_LIMITS.timeMs },
    });
  } catch (error) {
    if (receiver.failure !== undefined) throw receiver.failure;
    if (signal.aborted) throw refused('The call was ended by its caller', error);
    if (error instanceof TaskLimitError)
      throw refused(`Converting it takes more ${error.limit} than one import may. Import it in parts`, error);
    if (!(error instanceof OutgoingError) && !(error instanceof UnreadableError)) throw error;
    throw refused(error.message, error);
  }
  if ('refusal' in output) throw refused(output.refusal, output.cause);
  return output;
}
