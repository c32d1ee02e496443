import type { components } from '../../../generated/schema.d.ts';

type ContentRef = components['schemas']['ContentRef'];

/** A set of pages and files to start a space from. */
export interface Template {
  /** Identifier in requests. It never changes between releases. */
  id: string;
  /** Folder next to this file with the texts and files. */
  folder: string;
  /** Required parameters, by name. */
  parameters: Readonly<Record<string, ReferenceParameter>>;
  pages: readonly TemplatePage[];
  files: readonly TemplateFile[];
}

/** A template parameter with a reference as its value. */
export interface ReferenceParameter {
  kinds: ReadonlyArray<ContentRef['kind']>;
}

/** A page of a template, with its subpages. */
export type TemplatePage =
  | {
      /** Name in the URLs of the template's texts: `/pages/<ref>`. Its text is in `<ref>.md`. */
      ref: string;
      title: string;
      emoji?: string;
      description?: string;
      pages?: readonly TemplatePage[];
    }
  /** An entry that is replaced with the pages of a specification. */
  | {
      title: string;
      /** Name of the parameter with the specification. */
      specification: string;
    };

/** A file of a template. */
export interface TemplateFile {
  /** Name in the URLs of the template's texts: `/files/<ref>`. */
  ref: string;
  name: string;
}
