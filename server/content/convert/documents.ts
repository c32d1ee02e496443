import type { components } from '../../../generated/schema.d.ts';
import type { FetchedHead, FetchedResource } from '../../outgoing/fetch.ts';
import { ScratchFile } from '../../threads/scratch-file.ts';
import { type ArchiveOptions, convertArchive } from './archives/archive.ts';
import { convertDocx, convertHtml, convertMarkdown } from './archives/single.ts';
import { unpack } from './archives/zip.ts';
import type { Budget } from './budget.ts';
import { UnreadableError } from './errors.ts';
import { confluenceSummary, withoutNotionIds, withoutSpaceName } from './exports.ts';
import type { Converted, ConvertLimits, SourceFiles } from './types.ts';
import { convertWebsite, requireHtml } from './website/website.ts';

/** A source of imported content other than Git. */
export type DocumentSource = Exclude<components['schemas']['ImportSource'], 'github-wiki'>;

/** Maximum size of the text of a single page. */
export const MAX_IMPORTED_TEXT_BYTES = 8_388_608;

/**
 * Fetches and converts a source.
 *
 * @throws OutgoingError if it cannot be fetched
 * @throws UnreadableError if it has another format than specified
 */
export async function convertSource(
  source: DocumentSource,
  url: URL,
  budget: Budget,
  { folder, scratch, ...limits }: ConvertLimits & { folder: string; scratch: ScratchFile },
): Promise<Converted> {
  const text = { maxBytes: MAX_IMPORTED_TEXT_BYTES };
  const archive = { maxBytes: limits.bytes };
  switch (source) {
    case 'website':
      return await convertWebsite(url, budget, limits.pages);
    case 'html': {
      const document = await budget.fetch(url, { ...text, accept: 'text/html, application/xhtml+xml' });
      requireHtml(document);
      return await convertHtml(document, budget);
    }
    case 'markdown': {
      const document = await budget.fetch(url, { ...text, accept: 'text/markdown, text/plain' });
      requireText(document);
      return await convertMarkdown(document, budget);
    }
    case 'docx':
      return await convertDocx(requireFile(await budget.fetch(url, archive)), limits.bytes);
    case 'google-docs':
      return await convertDocx(
        requireFile(await budget.fetch(googleExport(url), archive), GOOGLE_HINT),
        limits.bytes,
      );
    case 'zip':
    case 'notion':
    case 'confluence': {
      using packed = new ScratchFile(folder);
      requireFile(await budget.fetchInto(packed, url, archive));
      const files = await unpack(packed, limits.bytes, scratch);
      return convertFiles(source, files, { pages: limits.pages, scratch });
    }
  }
}

function convertFiles(
  source: 'zip' | 'notion' | 'confluence',
  files: SourceFiles,
  options: Pick<ArchiveOptions, 'pages' | 'scratch'>,
): Converted {
  if (source === 'notion') {
    return convertArchive(withoutNotionIds(files), options);
  }
  if (source === 'zip') {
    return convertArchive(files, options);
  }
  const summary = confluenceSummary(files);
  return convertArchive(files, {
    ...options,
    titleOf: withoutSpaceName,
    ...(summary !== undefined && { summary }),
  });
}

const GOOGLE_HINT = 'Share the document with anyone who has the link.';

/** Returns the URL for Google's export of a document as Word. */
function googleExport(url: URL): URL {
  const [, document] = /^(.*\/document\/d\/[\w-]+)(?:\/|$)/.exec(url.pathname) ?? [];
  if (document === undefined) {
    throw new UnreadableError(
      'The URL is not that of a Google document. Use the form https://docs.google.com/document/d/ID/edit.',
    );
  }
  return new URL(`${document}/export?format=docx`, url.origin);
}

function requireFile<Head extends FetchedHead>(response: Head, hint = 'Check the URL.'): Head {
  const { status, url, contentType } = response;
  if (status !== 200) {
    throw new UnreadableError(`${url.origin}${url.pathname} returned status ${status}. ${hint}`);
  }
  if (contentType === 'text/html') {
    throw new UnreadableError(`${url.origin}${url.pathname} returned a page instead of a file. ${hint}`);
  }
  return response;
}

function requireText(document: FetchedResource): void {
  const { body, url } = requireFile(document);
  if (body.includes(0)) {
    throw new UnreadableError(
      `${url.origin}${url.pathname} is not a text file. Use the URL of the raw Markdown file.`,
    );
  }
}
