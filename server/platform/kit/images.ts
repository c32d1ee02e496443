import { hashOf } from '../../content/tree/hash.ts';

/** Maximum size of the icon of an integration, a block or a content source, in bytes. */
export const MAX_ICON_BYTES = 1_048_576;
/** Maximum size of a preview image, in bytes. */
export const MAX_PREVIEW_IMAGE_BYTES = 2_097_152;
/** Maximum number of bytes that the type of an image is determined from. */
export const MAX_SNIFFED_BYTES = 1024;

/** An image of a publication. */
export interface PublishedImage {
  bytes: Uint8Array;
  hash: string;
  contentType: string;
}

/** Media types of images by the extension of their asset names. */
export const IMAGE_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
};

/** An SVG document, after an XML declaration, comments and a document type. */
const SVG = /^\ufeff?\s*(?:(?:<\?xml[^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>]*>)\s*)*<svg[\s>]/i;

/** Determines the type of an image by its content; undefined if it is none of {@link IMAGE_TYPES}. */
function extensionOf(bytes: Buffer): string | undefined {
  const [start, binary] = [bytes.subarray(0, MAX_SNIFFED_BYTES), bytes.toString('latin1', 0, 12)];
  if (binary.startsWith('\x89PNG\r\n\x1a\n')) {
    return 'png';
  }
  if (binary.startsWith('\xff\xd8\xff')) {
    return 'jpg';
  }
  if (/^GIF8[79]a/.test(binary)) {
    return 'gif';
  }
  if (/^RIFF[\s\S]{4}WEBP$/.test(binary)) {
    return 'webp';
  }
  return SVG.test(start.toString('utf8')) ? 'svg' : undefined;
}

/**
 * Decodes an image in base64, which the contract requires.
 *
 * @throws Error if it is not an image
 */
export function decodeImage(text: string): PublishedImage & { asset: string; extension: string } {
  const bytes = Buffer.from(text, 'base64');
  const extension = extensionOf(bytes);
  const contentType = extension && IMAGE_TYPES[extension];
  if (!contentType) {
    throw new Error('The contract requires a PNG, JPEG, GIF, WebP or SVG image in base64.');
  }
  const hash = hashOf(bytes);
  return { bytes, hash, contentType, extension, asset: `${hash}.${extension}` };
}

/** Returns whether a text is an image in base64 that can be an icon. */
export const isIconData = (text: string): boolean => isImageOf(text, MAX_ICON_BYTES);

/** Returns whether a text is an image in base64 that can be a preview image. */
export const isImageData = (text: string): boolean => isImageOf(text, MAX_PREVIEW_IMAGE_BYTES);

/** Returns whether a text is an image in base64 that can be an icon, or the URL of an image. */
export const isIconDataOrUrl = (text: string): boolean => isImageUrl(text) || isIconData(text);

function isImageOf(text: string, maxBytes: number): boolean {
  const start = text.slice(0, 4 * Math.ceil(MAX_SNIFFED_BYTES / 3));
  return (
    text.length <= 4 * Math.ceil(maxBytes / 3) &&
    isBase64(text) &&
    Buffer.byteLength(text, 'base64') <= maxBytes &&
    extensionOf(Buffer.from(start, 'base64')) !== undefined
  );
}

/** Returns whether a text is the URL of an image. */
function isImageUrl(text: string): boolean {
  const url = text.length <= 2048 ? URL.parse(text) : null;
  return url?.protocol === 'https:' || url?.protocol === 'http:';
}

/** Base64 (RFC 4648, section 4). */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns whether a text is base64, which the contract cannot require where a URL is an alternative. */
export const isBase64 = (text: string): boolean => BASE64.test(text);
