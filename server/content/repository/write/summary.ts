import { slugify } from '../../tree/slugs.ts';
import { isReadAsLink } from '../read/summary-links.ts';
import { collapse, titleFromName } from '../text.ts';
import { asText, isMap, writeYaml } from '../yaml.ts';
import { targetIn } from './compare.ts';
import { addressTarget, anchorTarget, inlineText, itemText, pathTarget } from './inline.ts';
import type { WrittenPaths } from './paths.ts';
import type { ExportedComputed, ExportedGroup, ExportedPage, ExportedTarget } from './types.ts';

/**
 * Writes the table of contents: a list of pages, with top-level groups as headings.
 *
 * @param path of the file, which relative URLs in it are based on
 */
export function writeSummary(pages: readonly ExportedPage[], path: string, places: WrittenPaths): string {
  const writer = new EntryWriter(path, places);
  const blocks = ['# Table of contents'];
  let list: string[] = [];
  let inGroup = false;
  const closeList = () => {
    if (list.length > 0) {
      blocks.push(list.join('\n'));
    }
    list = [];
  };
  for (const page of pages) {
    if (page.type === 'group') {
      closeList();
      blocks.push(`## ${writer.heading(page)}`);
      blocks.push(...(page.pages.length > 0 ? [writer.list(page.pages, '').join('\n')] : []));
      inGroup = true;
      continue;
    }
    // Without a break the page would belong to the group above.
    if (inGroup) {
      blocks.push('***');
    }
    inGroup = false;
    list.push(...writer.list([page], ''));
  }
  closeList();
  return `${blocks.join('\n\n')}\n`;
}

/** Formats the entries of a table of contents. */
export class EntryWriter {
  readonly #path: string;
  readonly #places: WrittenPaths;

  /** @param path of the file, which relative URLs in it are based on */
  constructor(path: string, places: WrittenPaths) {
    this.#path = path;
    this.#places = places;
  }

  /** Formats the items of pages and their descendants. */
  list(pages: readonly ExportedPage[], indent: string): string[] {
    return pages.flatMap((page) => [
      `${indent}* ${this.item(page).join(`\n${indent}  `)}`,
      ...('pages' in page ? this.list(page.pages, `${indent}  `) : []),
    ]);
  }

  /** Formats a group as the text of a heading. */
  heading(page: ExportedPage): string {
    return `${inlineText(titleOf(page))}${page.type === 'group' ? anchorOf(page) : ''}`;
  }

  /**
   * Formats the content of an item, in lines.
   *
   * @param hasDotSlash whether paths start with `./`
   */
  item(page: ExportedPage, hasDotSlash = false): string[] {
    switch (page.type) {
      case 'document': {
        const target = pathTarget(this.#places.pages.get(page.id) ?? '', this.#path);
        const prefix = hasDotSlash && !target.startsWith('.') ? './' : '';
        return [`[${inlineText(titleOf(page))}](${prefix}${target})`];
      }
      case 'group': {
        const title = titleOf(page);
        const text = isReadAsLink(title) ? `[${inlineText(title)}](#)` : itemText(title);
        return [`${text}${anchorOf(page)}`];
      }
      case 'link':
        return [`[${inlineText(titleOf(page))}](${this.#target(page.target)})`];
      case 'computed':
        return ['```yaml', ...writeYaml(computedEntry(page)).trimEnd().split('\n'), '```'];
    }
  }

  #target(target: ExportedTarget): string {
    if (target.kind === 'file') {
      const path = this.#places.files.get(target.file);
      return path === undefined ? `/files/${target.file}` : pathTarget(path, this.#path);
    }
    const read = targetIn(target, this.#places);
    // The fragment, even if it is empty, distinguishes a link to a page from the entry of the page.
    return read?.kind === 'page'
      ? `${pathTarget(read.path, this.#path)}#${anchorTarget(read.anchor ?? '')}`
      : addressTarget(read?.kind === 'url' ? read.url : '');
  }
}

function titleOf({ title }: { title: string }): string {
  return collapse(title);
}

/** Returns the slug of a group if it differs from that of its title. */
function anchorOf(group: ExportedGroup): string {
  const { slug } = group;
  return slugify(titleOf(group)) === slug ? '' : ` <a href="#${slug}" id="${slug}"></a>`;
}

function computedEntry({ title, computed: { type, props, dependencies } }: ExportedComputed): object {
  const { spec } = dependencies;
  const name = asText(isMap(spec?.ref) ? spec.ref.spec : undefined) ?? type.split(':').at(-1) ?? type;
  return {
    type,
    ...(titleFromName(name) !== title && { title }),
    ...(Object.keys(props).length > 0 && { props }),
    ...(Object.keys(dependencies).length > 0 && { dependencies }),
  };
}
