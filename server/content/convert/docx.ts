import mammoth from 'mammoth';
import { namesIn } from './archives/zip.ts';
import { UnreadableError } from './errors.ts';

/**
 * Converts a Word document to HTML with embedded images.
 *
 * @param bytes maximum unpacked size
 * @throws UnreadableError for another format, or if the unpacked size exceeds the limit
 */
export async function docxToHtml(document: Uint8Array, bytes: number): Promise<string> {
  // The library unpacks without a limit, so the document is first unpacked within the limit here.
  const names = await namesIn(document, bytes);
  if (!names.includes('[Content_Types].xml') || !names.some((name) => name.startsWith('word/'))) {
    throw new UnreadableError('The file is not a Word document. Save it as .docx.');
  }
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
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadableError(`The document cannot be read: ${reason}. Save it again.`);
  }
}
