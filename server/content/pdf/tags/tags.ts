/** Tags: the structure of a document (ISO 32000-1, 14.7 and 14.8), which screen readers read. */
import type { PdfDoc } from '../boxes.ts';
import { type ObjectRef, ObjectStreams } from './objects.ts';

/** Type of an element (14.8.4). */
export type Tag =
  | 'BlockQuote'
  | 'Caption'
  | 'Code'
  | 'Div'
  | 'Figure'
  | 'Formula'
  | 'H1'
  | 'H2'
  | 'H3'
  | 'H4'
  | 'L'
  | 'LBody'
  | 'LI'
  | 'Lbl'
  | 'Link'
  | 'P'
  | 'Sect'
  | 'TD'
  | 'TH'
  | 'TOC'
  | 'TOCI'
  | 'TR'
  | 'Table';

/** An element that is not closed yet. */
interface OpenElement {
  id: number;
  tag: Tag | 'Document';
  parent: number;
  attributes: string;
  /** Page of the contents without a page of their own. */
  page: number | undefined;
  kids: string[];
}

/** The structure of a page of the document. */
interface PageState {
  ref: ObjectRef;
  /** Elements of its contents by number. */
  parents: number[];
}

/** The parts of a document of pdfkit that its types omit. */
interface Catalog {
  page: { dictionary: ObjectRef };
  _root: ObjectRef;
}

/** Elements that contain other elements, but no text. */
const GROUPS: ReadonlySet<OpenElement['tag']> = new Set([
  'BlockQuote',
  'Div',
  'Document',
  'L',
  'LI',
  'Sect',
  'TOC',
  'TR',
  'Table',
]);

/** Writes the structure of a document: each element when it is closed, so that only open ones are in memory. */
export class Tags {
  readonly #doc: Catalog & PdfDoc;
  readonly #objects: ObjectStreams;
  readonly #tree: ObjectRef;
  readonly #stack: OpenElement[];
  /** Entries of the parent tree: objects by key. */
  readonly #entries: number[] = [];
  #page: PageState | undefined;
  #isMarking = false;

  constructor(doc: PdfDoc) {
    // As declared above.
    this.#doc = doc as PdfDoc & Catalog;
    this.#objects = new ObjectStreams(doc);
    this.#tree = this.#objects.reserve();
    this.#stack = [this.#element('Document', this.#tree.id)];
  }

  /** Returns what is printed as an element. It is a child of the current one. */
  async within<Result>(tag: Tag, print: () => Promise<Result>, attributes = ''): Promise<Result> {
    const close = this.open(tag, attributes);
    try {
      return await print();
    } finally {
      close();
    }
  }

  /** Opens an element; returns the function that closes it, and those in it that an error left open. */
  open(tag: Tag, attributes = ''): () => void {
    const parent = this.#stack.at(-1);
    if (this.#isMarking || !parent) {
      return () => undefined;
    }
    const element = this.#element(tag, parent.id, attributes);
    parent.kids.push(`${element.id} 0 R`);
    this.#stack.push(element);
    return () => {
      const at = this.#stack.lastIndexOf(element);
      for (const open of at === -1 ? [] : this.#stack.splice(at)) {
        this.#write(open);
      }
    };
  }

  /** Returns a function that draws an element after the current contents of the current one. */
  reserve(tag: Tag): (draw: () => void) => void {
    const parent = this.#stack.at(-1);
    const at = parent?.kids.length ?? 0;
    return (draw) => {
      if (!parent || this.#isMarking) {
        draw();
        return;
      }
      const element = this.#element(tag, parent.id);
      parent.kids.splice(at, 0, `${element.id} 0 R`);
      this.#stack.push(element);
      this.mark(draw);
      this.#stack.pop();
      this.#write(element);
    };
  }

  /** Opens an element before the contents of the document so far. */
  openFirst(tag: Tag): () => void {
    const [root] = this.#stack;
    const close = this.open(tag);
    root?.kids.unshift(...root.kids.splice(-1));
    return close;
  }

  /** Draws contents of the current element, or of a paragraph in it. */
  mark(draw: () => void): void {
    const element = this.#stack.at(-1);
    if (this.#isMarking || !element) {
      draw();
      return;
    }
    const close = this.paragraph();
    this.#mark(this.#stack.at(-1) ?? element, draw);
    close();
  }

  /** Opens a paragraph, unless the current element contains text; returns the function that closes it. */
  paragraph(): () => void {
    const element = this.#stack.at(-1);
    return element && GROUPS.has(element.tag) ? this.open('P') : () => undefined;
  }

  #mark(element: OpenElement, draw: () => void): void {
    const { ref, parents } = this.#current();
    const number = parents.push(element.id) - 1;
    element.page ??= ref.id;
    element.kids.push(
      element.page === ref.id ? `${number}` : `<</Type/MCR/Pg ${ref.id} 0 R/MCID ${number}>>`,
    );
    this.#draw(`/${element.tag} <</MCID ${number}>> BDC`, draw);
  }

  /** Draws contents without a meaning, such as lines and page numbers. */
  artifact(draw: () => void): void {
    if (this.#isMarking) {
      draw();
    } else {
      this.#draw('/Artifact BMC', draw);
    }
  }

  /** Adds an annotation to the current element. `add` receives its key in the parent tree, and returns its number. */
  addAnnotation(add: (key?: number) => number): void {
    const element = this.#stack.at(-1);
    if (!element || this.#isMarking) {
      add();
      return;
    }
    const key = this.#entries.push(element.id) - 1;
    const { ref } = this.#current();
    element.kids.push(`<</Type/OBJR/Pg ${ref.id} 0 R/Obj ${add(key)} 0 R>>`);
  }

  /** Ends the structure of the current page. */
  endPage(): void {
    if (this.#page && this.#page.parents.length > 0) {
      const { ref, parents } = this.#page;
      const { id } = this.#objects.reserve();
      this.#objects.write(id, `[${parents.map((parent) => `${parent} 0 R`).join(' ')}]`);
      ref.data.StructParents = this.#entries.push(id) - 1;
      ref.data.Tabs = 'S';
    }
    this.#page = undefined;
  }

  /** Ends the structure of the document. */
  end(): void {
    this.endPage();
    const [root] = this.#stack;
    if (!root) {
      return;
    }
    this.#write(root);
    const entries = this.#entries.map((id, key) => `${key} ${id} 0 R`).join(' ');
    this.#objects.write(
      this.#tree.id,
      `<</Type/StructTreeRoot/K ${root.id} 0 R/ParentTree<</Nums[${entries}]>>/ParentTreeNextKey ${this.#entries.length}>>`,
    );
    this.#objects.flush();
    const { data } = this.#doc._root;
    data.StructTreeRoot = this.#tree;
    data.MarkInfo = { Marked: true };
  }

  #draw(start: string, draw: () => void): void {
    this.#isMarking = true;
    this.#doc.addContent(start);
    try {
      draw();
    } finally {
      this.#doc.addContent('EMC');
      this.#isMarking = false;
    }
  }

  #current(): PageState {
    this.#page ??= { ref: this.#doc.page.dictionary, parents: [] };
    return this.#page;
  }

  #element(tag: OpenElement['tag'], parent: number, attributes = ''): OpenElement {
    return { id: this.#objects.reserve().id, tag, parent, attributes, page: undefined, kids: [] };
  }

  #write({ id, tag, parent, attributes, page, kids }: OpenElement): void {
    const where = page === undefined ? '' : `/Pg ${page} 0 R`;
    const contents = kids.length === 1 ? ` ${kids[0]}` : `[${kids.join(' ')}]`;
    this.#objects.write(id, `<</S/${tag}/P ${parent} 0 R${where}${attributes}/K${contents}>>`);
  }
}

/** Returns an attribute of an element with a text: `Alt` describes a figure. */
export const textAttribute = (name: 'Alt' | 'ActualText', text: string): string =>
  `/${name}<${Buffer.from(`\ufeff${text}`, 'utf16le').swap16().toString('hex')}>`;
