/**
 * Writes small objects of a document to compressed streams (ISO 32000-1, 7.5.7). pdfkit writes each object by itself, which
 * would more than double the size of a document with the structure of its text.
 */
import { deflateSync } from 'node:zlib';
import type { PdfDoc } from '../boxes.ts';

/** Maximum number of objects in a stream. */
const MAX_STREAM_OBJECTS = 200;

/** A reference of pdfkit to an object. */
export interface ObjectRef {
  id: number;
  data: Record<string, unknown>;
  end(chunk?: Uint8Array): void;
}

/** The parts of a document of pdfkit that its types omit. */
interface Writer {
  ref(data: Record<string, unknown>): ObjectRef;
  push(chunk: null): void;
  _write(data: string | Uint8Array): void;
  _finalize(): void;
  endMarkings(): void;
  _offset: number;
  _offsets: number[];
  _waiting: number;
  _root: ObjectRef;
  _info: ObjectRef;
  _id: Uint8Array;
}

/** The objects of a document that are written to streams. */
export class ObjectStreams {
  readonly #writer: Writer;
  #pending: Array<{ id: number; text: string }> = [];
  /** Stream and index of each written object, by its number. */
  readonly #places = new Map<number, { stream: number; index: number }>();

  constructor(doc: PdfDoc) {
    // As declared above.
    this.#writer = doc as unknown as Writer;
    this.#writer._finalize = () => this.#writeEnd();
    // pdfkit would end the structure, which is written to streams, as an object.
    this.#writer.endMarkings = () => undefined;
  }

  /** Reserves the number of an object. */
  reserve(): ObjectRef {
    return this.#writer.ref({});
  }

  /** Writes an object. */
  write(id: number, text: string): void {
    this.#pending.push({ id, text });
    if (this.#pending.length >= MAX_STREAM_OBJECTS) {
      this.flush();
    }
  }

  /** Writes the objects that are not written yet. */
  flush(): void {
    const objects = this.#pending.splice(0);
    if (objects.length === 0) {
      return;
    }
    let head = '';
    let body = '';
    for (const { id, text } of objects) {
      head += `${id} ${body.length} `;
      body += `${text}\n`;
    }
    const stream = this.#writer.ref({ Type: 'ObjStm', N: objects.length, First: head.length });
    stream.end(Buffer.from(head + body, 'latin1'));
    for (const [index, { id }] of objects.entries()) {
      this.#places.set(id, { stream: stream.id, index });
    }
    // pdfkit waits for the end of each reserved object.
    this.#writer._waiting -= objects.length;
  }

  /** Writes the table of objects as a stream (7.5.8), which other tables cannot refer to compressed objects with. */
  #writeEnd(): void {
    const writer = this.#writer;
    const size = writer._offsets.length + 2;
    const table = Buffer.alloc(ENTRY_BYTES * size);
    for (let id = 1; id < size; id++) {
      const place = this.#places.get(id);
      const offset = id === size - 1 ? writer._offset : (writer._offsets[id - 1] ?? 0);
      const at = ENTRY_BYTES * id;
      table.writeUInt8(place ? 2 : 1, at);
      table.writeUInt32BE(place ? place.stream : offset, at + 1);
      table.writeUInt16BE(place ? place.index : 0, at + 5);
    }
    const start = writer._offset;
    const bytes = deflateSync(table);
    const fileId = Buffer.from(writer._id).toString('hex');
    const { _root: root, _info: info } = writer;
    writer._write(
      `${size - 1} 0 obj\n<< /Type /XRef /Size ${size} /W [1 4 2] /Root ${root.id} 0 R /Info ${info.id} 0 R ` +
        `/ID [<${fileId}> <${fileId}>] /Filter /FlateDecode /Length ${bytes.length} >>\nstream`,
    );
    writer._write(bytes);
    writer._write(`\nendstream\nendobj\nstartxref\n${start}\n%%EOF`);
    writer.push(null);
  }
}

/** Type, offset or number of a stream, and index. */
const ENTRY_BYTES = 7;
