import { crc32, deflateRawSync } from 'node:zlib';

/** A file to put into an archive. */
export interface ZipEntry {
  content?: string | Uint8Array;
  /** The Unix mode, such as that of a symbolic link. */
  mode?: number;
  /** Marks it as encrypted, although it is not. */
  encrypted?: boolean;
  /** Declared size in bytes; the real one by default. */
  declaredBytes?: number;
}

/** Creates a ZIP archive (APPNOTE.TXT, version 2.0) of files by path. */
export function zip(files: Readonly<Record<string, string | Uint8Array | ZipEntry>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  // Files with the same text are compressed once.
  const compressed = new Map<string | Uint8Array, Buffer>();
  let offset = 0;
  for (const [path, file] of Object.entries(files)) {
    const entry: ZipEntry = typeof file === 'string' || file instanceof Uint8Array ? { content: file } : file;
    const source = entry.content ?? '';
    const content = Buffer.from(source);
    const packed = compressed.get(source) ?? deflateRawSync(content);
    compressed.set(source, packed);
    const name = Buffer.from(path);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | (entry.encrypted ? 1 : 0), 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(entry.declaredBytes ?? content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), common, rest, name]));
    parts.push(local);
    offset += local.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listing, end]);
}

/** Creates a small Word document: paragraphs with their style ('' for plain text), and a picture at the end. */
export function docx(paragraphs: readonly [style: string, text: string][], picture?: Uint8Array): Buffer {
  const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
  const office = 'http://schemas.openxmlformats.org';
  const body = paragraphs.map(
    ([style, text]) =>
      `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`,
  );
  const drawing = `<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="P" descr="A dot"/><a:graphic><a:graphicData uri="${office}/drawingml/2006/picture"><pic:pic><pic:blipFill><a:blip r:embed="rId1"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
  const names = [
    `xmlns:w="${office}/wordprocessingml/2006/main"`,
    `xmlns:r="${office}/officeDocument/2006/relationships"`,
    `xmlns:wp="${office}/drawingml/2006/wordprocessingDrawing"`,
    `xmlns:a="${office}/drawingml/2006/main"`,
    `xmlns:pic="${office}/drawingml/2006/picture"`,
  ].join(' ');
  const relations = `xmlns="${office}/package/2006/relationships"`;
  const styles = ['Title', 'Heading1', 'Heading2'].map(
    (id) =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id.replace(/(\d)/, ' $1').toLowerCase().replace('title', 'Title')}"/></w:style>`,
  );
  return zip({
    '[Content_Types].xml': `${xml}<Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `${xml}<Relationships ${relations}><Relationship Id="rId1" Type="${office}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/_rels/document.xml.rels': `${xml}<Relationships ${relations}><Relationship Id="rId1" Type="${office}/officeDocument/2006/relationships/image" Target="media/image1.png"/><Relationship Id="rId2" Type="${office}/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`,
    'word/document.xml': `${xml}<w:document ${names}><w:body>${body.join('')}${picture ? drawing : ''}</w:body></w:document>`,
    'word/styles.xml': `${xml}<w:styles ${names}>${styles.join('')}</w:styles>`,
    ...(picture && { 'word/media/image1.png': picture }),
  });
}

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
