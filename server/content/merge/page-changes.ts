import type { components } from '../../../generated/schema.d.ts';
import { defined } from '../markdown/document.ts';
import { DEFAULT_LAYOUT, type PageRecord } from '../tree/records.ts';
import { same } from './sides.ts';

type Schemas = components['schemas'];

/** A changed value; a side without a value is omitted. */
export interface ValueChange<Value> {
  before?: Value;
  after?: Value;
}

/** Compares two values. Returns undefined if they are equal. */
export const compareValues = <Value>(
  before: Value | undefined,
  after: Value | undefined,
): ValueChange<Value> | undefined =>
  same(before, after)
    ? undefined
    : { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };

/** Attributes of a page of any type. */
interface PageAttributes {
  title?: string;
  description?: string;
  slug?: string;
  document?: string;
  cover?: Schemas['PageCover'];
  emoji?: string;
  icon?: string;
  layout?: Schemas['PageLayout'];
  variables?: Record<string, string>;
  target?: Schemas['ContentRef'];
  hidden?: boolean;
  noIndex?: boolean;
  noRobotsIndex?: boolean;
}

/**
 * Compares the attributes of two states of a page that people set. Its position, its times and its Git data are none.
 * Returns no attributes if all are equal.
 */
export function comparePages(before: PageRecord, after: PageRecord): Schemas['PageChanges'] {
  const [old, current] = [attributesOf(before), attributesOf(after)];
  return defined<Schemas['PageChanges']>({
    title: compareValues(old.title, current.title),
    description: compareValues(old.description, current.description),
    slug: compareValues(old.slug, current.slug),
    document: compareValues(old.document, current.document),
    cover: compareValues(old.cover, current.cover),
    emoji: compareValues(old.emoji, current.emoji),
    icon: compareValues(old.icon, current.icon),
    layout: compareValues(old.layout, current.layout),
    variables: compareValues(old.variables, current.variables),
    target: compareValues(old.target, current.target),
    hidden: compareValues(old.hidden, current.hidden),
    noIndex: compareValues(old.noIndex, current.noIndex),
    noRobotsIndex: compareValues(old.noRobotsIndex, current.noRobotsIndex),
  });
}

function attributesOf(record: PageRecord): PageAttributes {
  const { title, emoji, icon } = record;
  const common = defined<PageAttributes>({ title, emoji, icon });
  switch (record.type) {
    case 'document':
      return defined<PageAttributes>({
        ...common,
        ...visibilityOf(record),
        slug: record.slug,
        description: record.description,
        document: record.body ?? record.computedSeed,
        cover: record.cover,
        layout: { ...DEFAULT_LAYOUT, ...record.layout },
        variables: record.variables,
      });
    case 'group':
      return { ...common, ...visibilityOf(record), slug: record.slug };
    case 'link':
      return { ...common, hidden: record.hidden ?? false, target: record.target };
    case 'computed':
      return common;
  }
}

const visibilityOf = (record: { hidden?: boolean; noIndex?: boolean; noRobotsIndex?: boolean }) => ({
  hidden: record.hidden ?? false,
  noIndex: record.noIndex ?? false,
  noRobotsIndex: record.noRobotsIndex ?? false,
});
