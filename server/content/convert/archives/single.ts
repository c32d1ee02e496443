import { posix } from 'node:path';
import { addressesIn } from '../../links/text-links.ts';
import { readRepository } from '../../repository/read/repository.ts';
import { titleFromName } from '../../repository/text.ts';
import type { ImportedPage } from '../../repository/types.ts';
import { slugify } from '../../tree/slugs.ts';
import type { Budget } from '../budget.ts';
import { decodeHtmlBytes } from '../charset.ts';
import { docxToHtml } from '../docx.ts';
import { readHtml } from '../html/html.ts';
import { PageImages, urlFileName } from '../images.ts';
import { documentPage } from '../pages.ts';
import { rewriteAddresses } from '../references.ts';
import type { Converted } from '../types.ts';

/** A fetched document. */
export interface FetchedDocument {
  /** Its final URL. */
  url: URL;
  body: Uint8Array;
  charset?: string | undefined;
}

/** Converts an HTML document to one page with images as files and absolute links. */
export async function convertHtml(document: FetchedDocument, budget: Budget): Promise<Converted> {
  const images = new PageImages();
  const { href } = document.url;
  const html = decodeHtmlBytes(document.body, document.charset);
  const { title, description, markdown, ...links } = readHtml(html, { url: href, embed: images.add });
  const name = baseName(document.url);
  const slug = slugify(name === '' ? title : name);
  const page = documentPage({ key: href, title: title || titleFromName(name), slug, description, markdown });
  return await withImages(page, links.images, images, budget);
}

/** Converts a Markdown file to one page, like a file of a repository. */
export async function convertMarkdown({ url, body }: FetchedDocument, budget: Budget): Promise<Converted> {
  const name = slugify(baseName(url));
  const path = `${name === 'summary' ? 'page' : name}.md`;
  const file = { path, oid: path, size: body.byteLength, mode: '100644' };
  const { pages, problems } = readRepository({ list: () => [file], read: () => body });
  const [page] = pages;
  if (page?.type !== 'document') {
    throw new Error(`The file ${path} was not converted to a page.`);
  }
  const absolute = (address: string) =>
    /^(?:#|[a-z][a-z0-9+.-]*:)/i.test(address) ? undefined : URL.parse(address, url)?.href;
  const markdown = rewriteAddresses(page.markdown, absolute);
  const images = addressesIn(markdown).filter((address) => IMAGE.test(address));
  const source = { ...page, markdown, variables: page.variables };
  const result = await withImages(source, images, new PageImages(), budget);
  return { ...result, problems: [...problems, ...result.problems] };
}

const IMAGE = /^https?:\/\/[^?#]+\.(?:png|jpe?g|gif|webp|svg|bmp|ico|avif|tiff?)(?:[?#]|$)/i;

/** Converts a Word document to one page with images as files. */
export async function convertDocx({ url, body }: FetchedDocument, bytes: number): Promise<Converted> {
  const images = new PageImages();
  const html = await docxToHtml(body, bytes);
  const { title, markdown } = readHtml(html, { embed: images.add });
  const name = baseName(url);
  const page = documentPage({
    key: url.href,
    title: title || titleFromName(name),
    slug: slugify(name === '' ? title : name),
    markdown,
  });
  return converted(page, images);
}

async function withImages(
  page: ImportedPage,
  addresses: readonly string[],
  images: PageImages,
  budget: Budget,
): Promise<Converted> {
  for (const address of addresses) {
    if (/^https?:/i.test(address)) {
      await images.fetch(address, budget);
    }
  }
  return converted(page, images);
}

function converted(page: ImportedPage, images: PageImages): Converted {
  return {
    pages: [page],
    files: [...images.files.values()],
    variables: {},
    target: (address) => (images.files.has(address) ? { kind: 'file', key: address } : undefined),
    sourceEntries: 1 + images.count,
    problems: images.problems,
  };
}

/** Returns the name of a document without its extension. */
function baseName(url: URL): string {
  const name = urlFileName(url);
  return name.slice(0, name.length - posix.extname(name).length);
}
