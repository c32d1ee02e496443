/** The part of a page tree that a page shows: the pages at the top level and along the path to the current page. */
import type { Html } from '../../../../contract/docs/html.ts';
import { fill, type Labels } from '../labels.ts';
import type { TreeEntry } from '../templates/types.ts';
import { firstWithin, type Navigation, type NavigationPage } from './navigation.ts';

/** Maximum number of siblings that are shown; others are behind a link. */
export const MAX_SHOWN_SIBLINGS = 100;
/** Maximum number of entries of open groups; further groups are closed unless they contain the current page. */
export const MAX_SHOWN_GROUP_ENTRIES = 120;

export interface TreeContext {
  navigation: Navigation;
  current: NavigationPage | undefined;
  labels: Labels;
  hrefOf(page: NavigationPage): string | undefined;
  iconOf(page: NavigationPage): Html | undefined;
}

/** Returns the entries of the page tree for a page. */
export function treeEntries(context: TreeContext): TreeEntry[] {
  const open = new Set<NavigationPage>();
  for (let page = context.current; page; page = page.parent) {
    open.add(page);
  }
  const budget = { entries: MAX_SHOWN_GROUP_ENTRIES };
  return siblings(context.navigation.roots, { ...context, open, budget });
}

type Context = TreeContext & { open: ReadonlySet<NavigationPage>; budget: { entries: number } };

function siblings(pages: readonly NavigationPage[], context: Context): TreeEntry[] {
  const shown = pages.filter((page) => page.isShown || context.open.has(page));
  const at = Math.max(
    0,
    shown.findIndex((page) => context.open.has(page)),
  );
  const latest = Math.max(0, shown.length - MAX_SHOWN_SIBLINGS);
  const start = Math.min(latest, Math.max(0, at - MAX_SHOWN_SIBLINGS / 2));
  const end = start + MAX_SHOWN_SIBLINGS;
  return [
    ...more(shown, start - 1, start, context),
    ...shown.slice(start, end).map((page) => entryOf(page, context)),
    ...more(shown, end, shown.length - end, context),
  ];
}

/** Returns a link to the nearest of the siblings that are not shown. */
function more(
  shown: readonly NavigationPage[],
  nearest: number,
  count: number,
  { labels, hrefOf }: Context,
): TreeEntry[] {
  const page = shown[nearest];
  const href = page && count > 0 ? hrefOf(page) : undefined;
  return href === undefined ? [] : [entry({ kind: 'more', title: fill(labels.morePages, { count }), href })];
}

function entryOf(page: NavigationPage, context: Context): TreeEntry {
  const { record, children } = page;
  const { open, current, budget, hrefOf, iconOf } = context;
  const isOpen = open.has(page);
  const shownChildren = children.filter(({ isShown }) => isShown);
  const common = { title: record.title, icon: iconOf(page), hasEntries: shownChildren.length > 0 };
  if (record.type === 'group') {
    budget.entries -= shownChildren.length;
    const isExpanded = isOpen || budget.entries >= 0;
    const first = firstWithin(page);
    return entry({
      ...common,
      kind: 'group',
      href: isExpanded || !first ? undefined : hrefOf(first),
      entries: isExpanded ? siblings(children, context) : [],
    });
  }
  return entry({
    ...common,
    kind: record.type === 'link' ? 'link' : 'page',
    href: hrefOf(page),
    isCurrent: page === current,
    entries: isOpen ? siblings(children, context) : [],
  });
}

const entry = (fields: Partial<TreeEntry> & Pick<TreeEntry, 'kind' | 'title' | 'href'>): TreeEntry => ({
  isCurrent: false,
  hasEntries: false,
  entries: [],
  ...fields,
});
