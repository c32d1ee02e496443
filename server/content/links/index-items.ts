import { asIds } from '../tree/content.ts';
import type { ContentIndex } from '../tree/content-root.ts';
import { get, type TrieRoot } from '../tree/trie.ts';
import { type Updated, update } from '../tree/trie-update.ts';
import type { Load, Objects, Storable } from '../tree/values.ts';
import { isYieldDue, yieldToEventLoop } from '../tree/yielding.ts';

/** Items of the lists of a trie, by the key of the list. */
type Lists = Map<string, Set<string>>;

/** Items of the lists of an index. */
export interface IndexItems {
  locations: Lists;
  links: Lists;
}

/** The next version of an index, and the objects to store for it. */
export interface PlannedIndex {
  index: ContentIndex;
  objects: Objects;
}

/** Creates a set of items without any. */
export const noItems = (): IndexItems => ({ locations: new Map(), links: new Map() });

/** Adds an item to a list. */
export function addTo(lists: Lists, key: string, item: string): void {
  const list = lists.get(key);
  if (list) {
    list.add(item);
  } else {
    lists.set(key, new Set([item]));
  }
}

/**
 * Replaces items of an index by those of the next revision. Items that occur in both are not written.
 *
 * @param index the index of the previous revision
 */
export async function replaceItems(
  index: ContentIndex,
  previous: IndexItems,
  next: IndexItems,
  load: Load,
): Promise<PlannedIndex> {
  const [locations, links] = await Promise.all([
    replaceIn(index.places, previous.locations, next.locations, load),
    replaceIn(index.links, previous.links, next.links, load),
  ]);
  return {
    index: { places: locations.root, links: links.root },
    objects: new Map([...locations.objects, ...links.objects]),
  };
}

async function replaceIn(root: TrieRoot, previous: Lists, next: Lists, load: Load): Promise<Updated> {
  const none = new Set<string>();
  const keys: string[] = [];
  for (const key of new Set([...previous.keys(), ...next.keys()])) {
    if ((previous.get(key) ?? none).symmetricDifference(next.get(key) ?? none).size > 0) {
      keys.push(key);
    }
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
  }
  const lists = await get(root, keys, load);
  const changes = new Map<string, Storable>();
  for (const key of keys) {
    const list = new Set(asIds(lists.get(key)))
      .difference(previous.get(key) ?? none)
      .union(next.get(key) ?? none);
    changes.set(key, list.size > 0 ? [...list].sort() : undefined);
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
  }
  return update(root, changes, load);
}
