import type { PageRecord } from '../tree/records.ts';
import { bookkeeping } from './fields.ts';
import { mergeValue, type Side, type Sides, same } from './sides.ts';

/** Pages that differ on any side, by id. A page that is not among them is where it was on all sides. */
export type TouchedPages = ReadonlyMap<string, Sides<PageRecord>>;

/** Reads pages that no side touched. */
export type ReadUntouched = (ids: readonly string[]) => Promise<ReadonlyMap<string, PageRecord>>;

/** Which of the touched pages live, and where. */
export interface MergedTree {
  /** The page above each touched page that lives. Those that are not named here are deleted. */
  parents: ReadonlyMap<string, string | null>;
  /** Which side deleted a page that stays all the same. */
  deletedBy: ReadonlyMap<string, Side>;
  /** Pages that the sides put in different places. */
  displaced: ReadonlySet<string>;
}

/**
 * Decides which pages stay, and where. Every page that lives leads up to the top, whatever the sides moved and
 * deleted.
 */
export async function mergeTree(touched: TouchedPages, readUntouched: ReadUntouched): Promise<MergedTree> {
  const tree = new TreeMerge(touched);
  tree.place();
  tree.takeAlong();
  tree.keepAbove();
  const untouched = await readAbove(touched, tree, readUntouched);
  while (tree.undoCycle(untouched)) tree.keepAbove();
  return tree;
}

class TreeMerge implements MergedTree {
  readonly parents = new Map<string, string | null>();
  readonly deletedBy = new Map<string, Side>();
  readonly displaced = new Set<string>();
  readonly #touched: TouchedPages;
  /** Where pages would be that one side deleted and the other one left as they were. */
  readonly #given = new Map<string, { parent: string | null; by: Side }>();
  /** Pages that one side deleted and the other one moved. */
  readonly #movedAway: string[] = [];

  constructor(touched: TouchedPages) {
    this.#touched = touched;
  }

  /** Pages that the primary alone moved, or in another way than the branch: a cycle goes through one of them. */
  get moved(): string[] {
    return [...this.parents].flatMap(([id, parent]) => {
      const { primary, branch } = this.#touched.get(id) ?? {};
      return primary && branch && branch.parent !== parent ? [id] : [];
    });
  }

  /** Places each page by what became of itself. */
  place(): void {
    for (const [id, { ancestor, primary, branch }] of this.#touched) {
      if (primary && branch) {
        const parents = { ancestor: ancestor?.parent, primary: primary.parent, branch: branch.parent };
        const { value, conflict } = mergeValue(parents);
        this.parents.set(id, value ?? null);
        if (conflict) this.displaced.add(id);
        continue;
      }
      const survivor = primary ?? branch;
      if (survivor) this.#placeSurvivor(id, ancestor, survivor, primary ? 'branch' : 'primary');
    }
  }

  /** Places a page that only one side has; the other one deleted it if the ancestor has it. */
  #placeSurvivor(id: string, ancestor: PageRecord | undefined, survivor: PageRecord, by: Side): void {
    const isMoved = ancestor !== undefined && ancestor.parent !== survivor.parent;
    const isChanged = ancestor !== undefined && isEdited(ancestor, survivor);
    if (ancestor && !isMoved && !isChanged) {
      this.#given.set(id, { parent: survivor.parent, by });
      return;
    }
    this.parents.set(id, survivor.parent);
    if (isMoved) this.#movedAway.push(id);
    if (isChanged || (isMoved && !this.#isMovedOut(ancestor, survivor, by))) this.deletedBy.set(id, by);
  }

  /**
   * Keeps what is below pages that one side moved away and the other one deleted, and was deleted as well: it went
   * with them, also below a page that lives for another reason.
   */
  takeAlong(): void {
    const survivors = [...this.#touched.values()].flatMap(({ primary, branch }) => {
      const survivor = primary && branch ? undefined : (primary ?? branch);
      return survivor ? [survivor] : [];
    });
    const below = Map.groupBy(survivors, ({ parent }) => parent);
    const taken = new Set(this.#movedAway);
    // The set grows meanwhile: what was taken takes along what is below it.
    for (const above of taken) {
      for (const { id, parent } of below.get(above) ?? []) {
        taken.add(id);
        if (this.#given.has(id)) this.parents.set(id, parent);
      }
    }
  }

  /** Keeps the pages above those that live. */
  keepAbove(): void {
    for (const start of [...this.parents.values()]) {
      for (let id = start; id !== null; ) {
        const kept = this.#given.get(id);
        if (!kept || this.parents.has(id)) break;
        this.parents.set(id, kept.parent);
        this.deletedBy.set(id, kept.by);
        id = kept.parent;
      }
    }
  }

  /**
   * Puts one page back to where the branch has it that would hang below itself; whether there was one. Neither
   * side has cycles, so each goes through a page that the primary moved and the branch has elsewhere.
   */
  undoCycle(untouched: ReadonlyMap<string, PageRecord>): boolean {
    for (const start of this.moved.sort()) {
      const seen = new Set<string>();
      let id: string | null = start;
      while (id !== null && !seen.has(id)) {
        seen.add(id);
        id = this.parents.get(id) ?? untouched.get(id)?.parent ?? null;
      }
      const branch = this.#touched.get(start)?.branch;
      if (id !== start || !branch) continue;
      this.parents.set(start, branch.parent);
      this.displaced.add(start);
      return true;
    }
    return false;
  }

  /** Whether a page that was deleted with the one above it was brought elsewhere by the other side. */
  #isMovedOut(ancestor: PageRecord, survivor: PageRecord, by: Side): boolean {
    const isDeleted = (id: string | null) => {
      const page = id === null ? undefined : this.#touched.get(id);
      return page?.ancestor !== undefined && page[by] === undefined;
    };
    return isDeleted(ancestor.parent) && !isDeleted(survivor.parent);
  }
}

/** Whether anything but the place of a page is another. */
function isEdited(before: PageRecord, after: PageRecord): boolean {
  const written = (record: PageRecord) =>
    Object.fromEntries(
      Object.entries(record).filter(([name]) => name !== 'parent' && !bookkeeping.has(name)),
    );
  return !same(written(before), written(after));
}

/** The untouched pages above the pages that moved, as far as a cycle could go. */
async function readAbove(
  touched: TouchedPages,
  tree: TreeMerge,
  readUntouched: ReadUntouched,
): Promise<Map<string, PageRecord>> {
  const found = new Map<string, PageRecord>();
  if (tree.moved.length === 0) return found;
  let parents = [...touched.values()].flatMap(({ primary, branch }) => [primary?.parent, branch?.parent]);
  for (;;) {
    const unknown = parents.flatMap((id) => (id && !touched.has(id) && !found.has(id) ? [id] : []));
    const level = await readUntouched([...new Set(unknown)]);
    if (level.size === 0) return found;
    for (const [id, record] of level) found.set(id, record);
    parents = [...level.values()].map(({ parent }) => parent);
  }
}
