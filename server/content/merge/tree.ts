import type { PageRecord } from '../tree/records.ts';
import { BOOKKEEPING_FIELDS } from './fields.ts';
import { mergeValue, type Side, type Sides, same } from './sides.ts';

/** Pages that differ on any side, by ID. All other pages are equal on all sides. */
export type TouchedPages = ReadonlyMap<string, Sides<PageRecord>>;

/** Reads pages that no side changed. */
export type ReadUntouched = (ids: readonly string[]) => Promise<ReadonlyMap<string, PageRecord>>;

/** The touched pages that remain, and their parents. */
export interface MergedTree {
  /** Parent of each touched page that remains. Touched pages without an entry are deleted. */
  parents: ReadonlyMap<string, string | null>;
  /** The side that deleted a page which remains nevertheless. */
  deletedBy: ReadonlyMap<string, Side>;
  /** Pages that the sides moved to different parents. */
  displaced: ReadonlySet<string>;
  /** Pages that the preferred side deleted and the other one changed. */
  dropped: ReadonlySet<string>;
}

/**
 * Determines the pages that remain, and their parents. Each remaining page is connected to the top level, whatever the
 * sides moved and deleted.
 */
export async function mergeTree(
  touched: TouchedPages,
  readUntouched: ReadUntouched,
  prefer?: Side,
): Promise<MergedTree> {
  const tree = new TreeMerge(touched, prefer);
  tree.assignParents();
  tree.retainDescendants();
  tree.retainAncestors();
  const untouched = await readAncestors(touched, tree, readUntouched);
  while (tree.undoCycle(untouched)) {
    tree.retainAncestors();
  }
  tree.dropDeleted();
  return tree;
}

class TreeMerge implements MergedTree {
  readonly parents = new Map<string, string | null>();
  readonly deletedBy = new Map<string, Side>();
  readonly displaced = new Set<string>();
  readonly dropped = new Set<string>();
  readonly #prefer: Side | undefined;
  readonly #touched: TouchedPages;
  /** Parents of pages that one side deleted and the other did not change. */
  readonly #deletable = new Map<string, { parent: string | null; by: Side }>();
  /** Pages that one side deleted and the other moved. */
  readonly #movedPages: string[] = [];

  constructor(touched: TouchedPages, prefer: Side | undefined) {
    this.#touched = touched;
    this.#prefer = prefer;
  }

  /**
   * Pages that only the primary moved, or that it moved differently than the branch. Each cycle contains one of them.
   */
  get moved(): string[] {
    return [...this.parents].flatMap(([id, parent]) => {
      const { primary, branch } = this.#touched.get(id) ?? {};
      return primary && branch && branch.parent !== parent ? [id] : [];
    });
  }

  /** Assigns parents by the changes of each page itself. */
  assignParents(): void {
    for (const [id, { ancestor, primary, branch }] of this.#touched) {
      if (primary && branch) {
        const parents = { ancestor: ancestor?.parent, primary: primary.parent, branch: branch.parent };
        const { value, conflict } = mergeValue(parents, this.#prefer);
        this.parents.set(id, value ?? null);
        if (conflict) {
          this.displaced.add(id);
        }
        continue;
      }
      const survivor = primary ?? branch;
      if (survivor) {
        this.#assignSurvivor(id, ancestor, survivor, primary ? 'branch' : 'primary');
      }
    }
  }

  /** Assigns the parent of a page that only one side has. If the ancestor has it, the other side deleted it. */
  #assignSurvivor(id: string, ancestor: PageRecord | undefined, survivor: PageRecord, by: Side): void {
    const isMoved = ancestor !== undefined && ancestor.parent !== survivor.parent;
    const isChanged = ancestor !== undefined && isEdited(ancestor, survivor);
    if (ancestor && !isMoved && !isChanged) {
      this.#deletable.set(id, { parent: survivor.parent, by });
      return;
    }
    this.parents.set(id, survivor.parent);
    if (isMoved) {
      this.#movedPages.push(id);
    }
    if (isChanged || (isMoved && !this.#isMovedOut(ancestor, survivor, by))) {
      this.deletedBy.set(id, by);
    }
  }

  /**
   * Retains the deleted descendants of pages that one side moved and the other deleted: they moved with those pages,
   * also below a page that remains for another reason.
   */
  retainDescendants(): void {
    const survivors = [...this.#touched.values()].flatMap(({ primary, branch }) => {
      const survivor = primary && branch ? undefined : (primary ?? branch);
      return survivor ? [survivor] : [];
    });
    const byParent = Map.groupBy(survivors, ({ parent }) => parent);
    const moved = new Set(this.#movedPages);
    // The set grows during the loop: descendants are added with their parents.
    for (const page of moved) {
      for (const { id, parent } of byParent.get(page) ?? []) {
        moved.add(id);
        if (this.#deletable.has(id)) {
          this.parents.set(id, parent);
        }
      }
    }
  }

  /** Retains the ancestors of the remaining pages. */
  retainAncestors(): void {
    for (const start of [...this.parents.values()]) {
      for (let id = start; id !== null; ) {
        const deletable = this.#deletable.get(id);
        if (!deletable || this.parents.has(id)) {
          break;
        }
        this.parents.set(id, deletable.parent);
        this.deletedBy.set(id, deletable.by);
        id = deletable.parent;
      }
    }
  }

  /**
   * Moves one page that would be its own ancestor back to its parent in the branch. Returns whether there was one.
   * Neither side has cycles, so each contains a page that the primary moved, with another parent in the branch.
   */
  undoCycle(untouched: ReadonlyMap<string, PageRecord>): boolean {
    for (const start of this.moved.sort()) {
      const visited = new Set<string>();
      let id: string | null = start;
      while (id !== null && !visited.has(id)) {
        visited.add(id);
        id = this.parents.get(id) ?? untouched.get(id)?.parent ?? null;
      }
      const branch = this.#touched.get(start)?.branch;
      if (id !== start || !branch) {
        continue;
      }
      this.parents.set(start, branch.parent);
      this.displaced.add(start);
      return true;
    }
    return false;
  }

  /** Removes the pages that the preferred side deleted, unless pages below them remain. */
  dropDeleted(): void {
    const children = Map.groupBy(this.parents.keys(), (id) => this.parents.get(id) ?? null);
    const counts = new Map([...children].map(([parent, ids]) => [parent, ids.length]));
    for (const start of [...this.deletedBy.keys()]) {
      for (let id: string | null = start; id !== null && this.#isDroppable(id, counts); ) {
        const parent: string | null = this.parents.get(id) ?? null;
        this.parents.delete(id);
        this.deletedBy.delete(id);
        this.dropped.add(id);
        counts.set(parent, (counts.get(parent) ?? 0) - 1);
        id = parent;
      }
    }
  }

  #isDroppable(id: string, children: ReadonlyMap<string | null, number>): boolean {
    return this.#prefer !== undefined && this.deletedBy.get(id) === this.#prefer && !children.get(id);
  }

  /** Returns whether the other side moved a page out of a deleted parent. */
  #isMovedOut(ancestor: PageRecord, survivor: PageRecord, by: Side): boolean {
    const isDeleted = (id: string | null) => {
      const page = id === null ? undefined : this.#touched.get(id);
      return page?.ancestor !== undefined && page[by] === undefined;
    };
    return isDeleted(ancestor.parent) && !isDeleted(survivor.parent);
  }
}

/** Returns whether a page has changes other than its position. */
function isEdited(before: PageRecord, after: PageRecord): boolean {
  const editableParts = (record: PageRecord) =>
    Object.fromEntries(
      Object.entries(record).filter(([name]) => name !== 'parent' && !BOOKKEEPING_FIELDS.has(name)),
    );
  return !same(editableParts(before), editableParts(after));
}

/** Reads the untouched ancestors of moved pages, as far as a cycle could reach. */
async function readAncestors(
  touched: TouchedPages,
  tree: TreeMerge,
  readUntouched: ReadUntouched,
): Promise<Map<string, PageRecord>> {
  const untouched = new Map<string, PageRecord>();
  if (tree.moved.length === 0) {
    return untouched;
  }
  let parents = [...touched.values()].flatMap(({ primary, branch }) => [primary?.parent, branch?.parent]);
  for (;;) {
    const missing = parents.flatMap((id) => (id && !touched.has(id) && !untouched.has(id) ? [id] : []));
    const level = await readUntouched([...new Set(missing)]);
    if (level.size === 0) {
      return untouched;
    }
    for (const [id, record] of level) {
      untouched.set(id, record);
    }
    parents = [...level.values()].map(({ parent }) => parent);
  }
}
