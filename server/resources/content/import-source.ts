import type { components } from '../../../generated/schema.d.ts';
import { Budget } from '../../content/convert/budget.ts';
import { convertSource } from '../../content/convert/documents.ts';
import { UnreadableError } from '../../content/convert/html.ts';
import type { Converted, ConvertLimits } from '../../content/convert/types.ts';
import { convertWiki } from '../../content/convert/wiki.ts';
import { badField } from '../../contract/errors.ts';
import { OutgoingError } from '../../outgoing/errors.ts';
import { Fetcher } from '../../outgoing/fetch.ts';
import type { Services } from '../slice.ts';

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

/**
 * Reads what a request to import names. Everything is fetched within the limits, and nothing is stored.
 *
 * @throws ContractError 400 for the address, where it cannot be called or is not what the source says
 */
export async function readSource(
  { outgoing, log }: Services,
  { url, source }: Schemas['ContentImport'],
  limits: ConvertLimits,
  signal: AbortSignal,
): Promise<Converted> {
  const address = URL.parse(url);
  if (address === null) throw badField('url', 'must be an address such as https://example.com/docs/');
  try {
    if (source === 'github-wiki') return await convertWiki(address, { ...outgoing, limits, signal });
    await using fetcher = new Fetcher(outgoing.allow);
    return await convertSource(source, address, new Budget(fetcher, limits, signal), limits);
  } catch (error) {
    if (!(error instanceof OutgoingError) && !(error instanceof UnreadableError)) throw error;
    log.info({ source, err: error }, 'a source of content could not be read');
    throw badField('url', `must lead to ${NAMES[source]}: ${error.message.replace(/\.$/, '')}`);
  }
}
