import type { Element, Nodes, Parents, Root, RootContent } from 'hast';
import { select, selectAll } from 'hast-util-select';

/** Selectors of a page's text in common generators of documentation sites, the most specific first. */
const CONTAINERS = [
  '.theme-doc-markdown',
  '.vp-doc',
  '.md-content__inner',
  '[itemprop=articleBody]',
  '.markdown-section',
  '.markdown-body',
  '#main-content.wiki-content',
  '.wiki-content',
];

const REGIONS = ['main', '[role=main]', '#main-content', '#content', '#main', '.content'];

/** Elements that are never part of the text. */
const IGNORED_ELEMENTS = [
  ...[
    'script',
    'style',
    'noscript',
    'template',
    'link',
    'meta',
    'base',
    'iframe',
    'object',
    'embed',
    'canvas',
  ],
  ...[
    'svg',
    'math > semantics > annotation',
    'dialog',
    'select',
    'textarea',
    'button',
    'audio',
    'video',
    'map',
  ],
  'input:not([type=checkbox])',
  ...['nav', 'footer', '[hidden]', '[aria-hidden=true]'],
  ...['navigation', 'banner', 'contentinfo', 'search', 'complementary', 'dialog'].map(
    (role) => `[role=${role}]`,
  ),
  ...['.headerlink', '.hash-link', '.header-anchor', '.heading-anchor', '.sr-only', '.visually-hidden'],
  ...['.skip-link', '.skip-to-content', '.breadcrumb', '.breadcrumbs', '.pagination', '.pagination-nav'],
  ...['.toc', '.table-of-contents', '.theme-doc-toc-mobile', '.edit-this-page', '.theme-edit-this-page'],
  ...['.linenos', '.lineno', '.linenodiv', '.line-numbers-rows', '.gutter'],
].join(',');

const CALLOUT = /admonition|callout|\bnote\b|\bhint\b|\balert\b|\baside--/i;
const CONSENT =
  /(?:cookie|consent|gdpr)s?[-_]?(?:banner|bar|notice|consent|popup|modal|overlay|message|dialog)|onetrust|cc-window/i;
const CONTAINER_ELEMENTS: ReadonlySet<string> = new Set(['div', 'section', 'aside', 'form']);

/**
 * Returns the element that contains the text of a page: a container of a common generator, a single article, the main
 * region, or the body. Removes everything that is not text; changes the tree.
 */
export function mainContent(root: Root): Parents {
  const container = containerOf(root);
  const content = container ?? select('body', root) ?? root;
  clean(content, {
    ignored: new Set(selectAll(IGNORED_ELEMENTS, content)),
    retainsHeaders: container !== undefined,
  });
  return content;
}

function containerOf(root: Root): Element | undefined {
  const [article, ...more] = selectAll('article', root);
  const candidates = [
    ...CONTAINERS.map((selector) => select(selector, root)),
    more.length === 0 ? article : undefined,
    ...REGIONS.map((selector) => select(selector, root)),
  ];
  return candidates.find((candidate) => candidate !== undefined && hasText(candidate));
}

interface Cleaning {
  ignored: ReadonlySet<Element>;
  /**
   * Whether a header that contains the page title is part of the text. In a whole body it is the header of the site.
   */
  retainsHeaders: boolean;
}

function clean(parent: Parents, cleaning: Cleaning): void {
  const children: RootContent[] = [];
  for (const child of parent.children) {
    if (child.type === 'comment' || child.type === 'doctype') {
      continue;
    }
    if (child.type === 'element') {
      if (isNoise(child, cleaning)) {
        continue;
      }
      clean(child, cleaning);
    }
    children.push(child);
  }
  // The new list is a subset of the previous one.
  parent.children = children as typeof parent.children;
}

function isNoise(element: Element, { ignored, retainsHeaders }: Cleaning): boolean {
  const { tagName } = element;
  if (ignored.has(element)) {
    return true;
  }
  if (tagName === 'header') {
    return !retainsHeaders || select('h1', element) === undefined;
  }
  const idAndClasses = idAndClassesOf(element);
  if (tagName === 'aside') {
    return !CALLOUT.test(idAndClasses);
  }
  return CONTAINER_ELEMENTS.has(tagName) && CONSENT.test(idAndClasses);
}

/** Returns the id and classes of an element. */
export function idAndClassesOf({ properties }: Element): string {
  const classes = Array.isArray(properties.className) ? properties.className : [];
  return [String(properties.id ?? ''), ...classes].join(' ');
}

function hasText(node: Nodes): boolean {
  if (node.type === 'text') {
    return node.value.trim() !== '';
  }
  if (node.type === 'element' && node.tagName === 'img') {
    return true;
  }
  return 'children' in node && node.children.some(hasText);
}
