import mammoth from 'mammoth';
import { UnreadableError } from './html.ts';
import { namesIn } from './zip.ts';

/**
 * The HTML of a Word document, with its images in it.
 *
 * @param bytes the most that may come of it, unpacked
 * @throws UnreadableError for what is no such document, or swells beyond the limit
 */
export async function docxToHtml(document: Uint8Array, bytes: number): Promise<string> {
  // The library unpacks without a limit: what it gets has been unpacked within one.
  const names = await namesIn(document, bytes);
  if (!names.includes('[Content_Types].xml') || !names.some((name) => name.startsWith('word/')))
    throw new UnreadableError('It is an archive of another kind. Save it as a Word document (.docx).');
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(document.buffer, document.byteOffset, document.byteLength) },
      {
        includeEmbeddedStyleMap: false,
        externalFileAccess: false,
        convertImage: mammoth.images.dataUri,
        styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"],
      },
    );
    return `<main>${value}</main>`;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UnreadableError(`It cannot be read: ${why}. Save it anew.`);
  }
}
