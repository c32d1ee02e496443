import { isObject } from '../../contract/json-values.ts';
import { slugify, UniqueNames } from '../tree/slugs.ts';
import { asList, asObject, asText } from './json.ts';
import { type Operation, type OperationsPage, oneLine, operationsOf } from './operations.ts';
import { modelsOf, type Specification } from './specification.ts';

/** The parts of a specification, each shown on a page. */
export interface Outline {
  /** A page per tag, and one for operations without a tag. */
  operations: readonly OperationsPage[];
  /** Number of tags without a page, beyond {@link MAX_COMPUTED_TAG_PAGES}. */
  omittedTags: number;
  /** Slug of the page of data models. */
  modelsSlug: string;
  hasModels: boolean;
}

/** Maximum number of tags of an OpenAPI document with a separate page. Each page tree contains all of these pages. */
export const MAX_COMPUTED_TAG_PAGES = 500;

/** Specifications are read repeatedly, and each object belongs to one version. */
const outlines = new WeakMap<Specification, Outline>();

/** Returns the outline of a specification, which is created once. */
export function outlineOf(specification: Specification): Outline {
  const outline = outlines.get(specification) ?? createOutline(specification);
  outlines.set(specification, outline);
  return outline;
}

function createOutline(specification: Specification): Outline {
  const { document } = specification;
  const operations = operationsOf(specification);
  const byTag = new Map<string, Operation[]>();
  for (const operation of operations) {
    for (const tag of operation.tags) {
      const list = byTag.get(tag) ?? [];
      list.push(operation);
      byTag.set(tag, list);
    }
  }
  const names = new UniqueNames();
  const pages: OperationsPage[] = [];
  for (const [tag, { title, description }] of tagsOf(document.tags, byTag)) {
    const list = byTag.get(tag) ?? [];
    // A tag without operations is shown only for its description.
    if (list.length === 0 && description === '') {
      continue;
    }
    pages.push({ slug: names.assign(slugify(tag)), title, description, operations: list });
  }
  const shown = pages.slice(0, MAX_COMPUTED_TAG_PAGES);
  const untagged = operations.filter(({ tags }) => tags.length === 0);
  if (untagged.length > 0) {
    const title = pages.length > 0 ? 'Other operations' : 'Operations';
    shown.push({ slug: names.assign(slugify(title)), title, description: '', operations: untagged });
  }
  return {
    operations: shown,
    omittedTags: pages.length - Math.min(pages.length, MAX_COMPUTED_TAG_PAGES),
    modelsSlug: names.assign('models'),
    hasModels: Object.keys(modelsOf(document)).length > 0,
  };
}

/** Returns all tags, those that the document lists first and in its order. */
function tagsOf(listed: unknown, used: ReadonlyMap<string, unknown>) {
  const tags = new Map<string, { title: string; description: string }>();
  for (const tag of asList(listed).filter(isObject)) {
    const name = asText(tag.name);
    if (name === '' || tags.has(name)) {
      continue;
    }
    // `summary` exists since OpenAPI 3.2; before that, many tools read this extension.
    const title = oneLine(asText(tag.summary) || asText(tag['x-displayName']) || name);
    tags.set(name, { title, description: asText(asObject(tag).description) });
  }
  for (const name of used.keys()) {
    if (!tags.has(name)) {
      tags.set(name, { title: oneLine(name) || 'Untitled', description: '' });
    }
  }
  return tags;
}
