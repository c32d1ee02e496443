import type { components } from '../../../generated/schema.d.ts';

type ContentRef = components['schemas']['ContentRef'];

/** A set of pages and files to start a space from. */
export interface Template {
  /** As requests name it. It stays the same from release to release. */
  id: string;
  /** The folder beside this file with its texts and files. */
  folder: string;
  /** What has to be given to it, by name. */
  places: Readonly<Record<string, Place>>;
  pages: readonly TemplatePage[];
  files: readonly TemplateFile[];
}

/** A place in a template that takes a reference. */
export interface Place {
  kinds: ReadonlyArray<ContentRef['kind']>;
}

/** A page of a template, with those below it. */
export type TemplatePage =
  | {
      /** Its name in the addresses of the template's texts: `/pages/<ref>`. Its text is in `<ref>.md`. */
      ref: string;
      title: string;
      emoji?: string;
      description?: string;
      pages?: readonly TemplatePage[];
    }
  /** An entry in whose place pages come that a specification describes. */
  | {
      title: string;
      /** The place that takes the specification. */
      specification: string;
    };

/** A file of a template. */
export interface TemplateFile {
  /** Its name in the addresses of the template's texts: `/files/<ref>`. */
  ref: string;
  name: string;
}
