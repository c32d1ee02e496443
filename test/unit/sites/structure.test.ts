import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ContractError } from '../../../server/contract/errors.ts';
import {
  addGroup,
  addToGroup,
  removeFromGroup,
  removeGroup,
} from '../../../server/platform/sites/structure/edit/groups.ts';
import {
  type EntryPointer,
  moveEntry,
  siblingsOf,
} from '../../../server/platform/sites/structure/edit/order.ts';
import {
  addSection,
  removeSection,
  setDefaults,
  updateSection,
} from '../../../server/platform/sites/structure/edit/sections.ts';
import {
  addSiteSpace,
  removeSiteSpaces,
  updateSiteSpace,
} from '../../../server/platform/sites/structure/edit/site-spaces.ts';
import { SitePaths } from '../../../server/platform/spaces/publications/paths.ts';
import type { StructureRows } from '../../../server/platform/spaces/publications/rows.ts';
import {
  firstSiteSpaceOf,
  orderedSections,
  orderedSiteSpaces,
  rootSiteSpacesOf,
  sectionsOf,
  siteSpacesOf,
  structureOf,
} from '../../../server/platform/spaces/publications/structure.ts';
import { SITE } from './site-row.ts';

const EMPTY: StructureRows = { site: SITE, groups: [], sections: [], siteSpaces: [] };
const TITLES = ['Guide', 'API', 'guide', '', 'x', 'sec_1', 'ssp_2'];

/** A change of a structure, with numbers that select entries. */
interface Change {
  kind: keyof typeof CHANGES;
  a: number;
  b: number;
  c: number;
}

const pick = <Value>(values: readonly Value[], at: number): Value | undefined => values[at % values.length];
const idOf = (rows: readonly { id: string }[], at: number) => pick(rows, at)?.id ?? 'missing';

let ids = 0;
const createId = (prefix: string) => `${prefix}_${ids++}`;
const spaceOf = (at: number) => ({ id: `spc_${at % 12}`, title: pick(TITLES, at) ?? '' });
const titleOf = () => 'Root';

const pointers = (rows: StructureRows): EntryPointer[] => [
  ...rows.siteSpaces.map(({ id }) => ({ type: 'site-space' as const, id })),
  ...rows.sections.map(({ id }) => ({ type: 'site-section' as const, id })),
  ...rows.groups.map(({ id }) => ({ type: 'site-section-group' as const, id })),
];

const CHANGES = {
  addSiteSpace: (rows, { a, b, c }) =>
    addSiteSpace(
      rows,
      { space: spaceOf(a), section: c % 2 === 0 ? undefined : idOf(rows.sections, b) },
      createId,
    ).rows,
  addSection: (rows, { a, b }) =>
    addSection(
      rows,
      { space: spaceOf(a), title: pick([null, ...TITLES], b) ?? null, icon: null },
      createId,
      titleOf,
    ).rows,
  addGroup: (rows, { a, b }) => {
    const sections = rows.sections.filter((_, at) => (a >> at) % 2 === 1).map(({ id }) => id);
    return addGroup(
      rows,
      { title: 'Group', icon: null, sections: b % 5 === 0 ? [...sections, 'missing'] : sections },
      createId,
      titleOf,
    ).rows;
  },
  addToGroup: (rows, { a, b }) => {
    const group = pick(rows.groups, a);
    return group ? addToGroup(rows, group.id, idOf(rows.sections, b)) : rows;
  },
  removeFromGroup: (rows, { a, b }) => removeFromGroup(rows, idOf(rows.groups, a), idOf(rows.sections, b)),
  removeGroup: (rows, { a }) => removeGroup(rows, idOf(rows.groups, a)),
  removeSection: (rows, { a }) => removeSection(rows, idOf(rows.sections, a)),
  removeSiteSpace: (rows, { a }) => removeSiteSpaces(rows, ({ id }) => id === idOf(rows.siteSpaces, a)),
  removeSpace: (rows, { a }) => removeSiteSpaces(rows, ({ space }) => space === spaceOf(a).id),
  move: (rows, { a, b, c }) => {
    const entry = pick(pointers(rows), a);
    if (!entry) {
      return rows;
    }
    const others = c % 4 === 0 ? pointers(rows) : siblingsOf(rows, entry);
    const position = c % 3 === 0 ? {} : { [c % 3 === 1 ? 'before' : 'after']: pick(others, b) };
    return moveEntry(rows, entry, position);
  },
  setDefaults: (rows, { a, b, c }) =>
    setDefaults(rows, {
      section: c % 2 === 0 ? undefined : idOf(rows.sections, a),
      siteSpace: c % 3 === 0 ? undefined : idOf(rows.siteSpaces, b),
    }),
  setVariant: (rows, { a, b }) => {
    const section = pick(rows.sections, a);
    return section ? updateSection(rows, section, { defaultSiteSpace: idOf(rows.siteSpaces, b) }).rows : rows;
  },
  setPath: (rows, { a, b, c }) => {
    const path = pick(['guide', 'api', 'page', 'guide-2', idOf(rows.sections, b)], c) ?? '';
    const siteSpace = pick(rows.siteSpaces, a);
    return siteSpace ? updateSiteSpace(rows, siteSpace, { path }).rows : rows;
  },
  setSpace: (rows, { a, b }) => {
    const siteSpace = pick(rows.siteSpaces, a);
    return siteSpace ? updateSiteSpace(rows, siteSpace, { space: spaceOf(b).id }).rows : rows;
  },
  setSectionPath: (rows, { a, b, c }) => {
    const path = pick(['guide', 'api', 'page', 'guide-2', idOf(rows.siteSpaces, b)], c) ?? '';
    const section = pick(rows.sections, a);
    return section ? updateSection(rows, section, { path }).rows : rows;
  },
} satisfies Record<string, (rows: StructureRows, change: Omit<Change, 'kind'>) => StructureRows>;

const change: fc.Arbitrary<Change> = fc.record({
  // The keys of the table are those of its type.
  kind: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
  a: fc.nat(200),
  b: fc.nat(200),
  c: fc.nat(200),
});

/** Applies a change. One that is rejected has no effect. */
function apply(rows: StructureRows, { kind, ...numbers }: Change): StructureRows {
  try {
    return CHANGES[kind](rows, numbers);
  } catch (error) {
    if (error instanceof ContractError && [400, 409].includes(error.status)) {
      return rows;
    }
    throw error;
  }
}

const areUnique = (values: readonly string[]) => expect(new Set(values).size).toBe(values.length);

/** Checks the rules of every structure. */
function expectValid(rows: StructureRows): void {
  const { site, groups, sections, siteSpaces } = rows;
  const structure = structureOf(rows);
  // Everything is shown once: at the root, or in sections.
  expect(siteSpacesOf(structure)).toHaveLength(siteSpaces.length);
  expect(sectionsOf(structure)).toHaveLength(sections.length);
  expect(rootSiteSpacesOf(structure).length === 0 || sections.length + groups.length === 0).toBe(true);
  // Defaults.
  expect(site.defaultSection === null).toBe(sections.length === 0);
  expect(sectionsOf(structure).filter(({ isDefault }) => isDefault)).toHaveLength(
    Math.min(1, sections.length),
  );
  const levels = [rootSiteSpacesOf(structure), ...sectionsOf(structure).map((section) => section.siteSpaces)];
  for (const [index, level] of levels.entries()) {
    expect(level.filter(({ isDefault }) => isDefault)).toHaveLength(Math.min(1, level.length));
    expect(index === 0 || level.length > 0).toBe(true);
    areUnique(level.map(({ row }) => row.path));
    areUnique(level.map(({ row }) => row.space));
    areUnique(level.map(({ row }) => row.position));
  }
  expect(firstSiteSpaceOf(structure) === undefined).toBe(siteSpaces.length === 0);
  areUnique(sections.map(({ path }) => path));
  const root = structure.entries.map(({ row }) => row.position);
  areUnique(root);
  expect(root).toEqual(root.toSorted());
  // The order of lists.
  for (const ordered of [orderedSections(structure), orderedSiteSpaces(structure)]) {
    const keys = ordered.map(({ key }) => key);
    expect(keys).toEqual(keys.toSorted());
  }
  expect(orderedSiteSpaces(structure).map(({ entry }) => entry)).toEqual(siteSpacesOf(structure));
  // Titles within the limits of the contract.
  for (const { title } of sections) {
    expect(title.length).toBeGreaterThanOrEqual(2);
  }
}

/** Checks that the path of each page leads to it, and to nothing else. */
function expectPaths(rows: StructureRows): void {
  const structure = structureOf(rows);
  const paths = new SitePaths(structure);
  const decode = (path: string) => path.split('/').filter(Boolean).map(decodeURIComponent);
  const used = new Set<string>();
  for (const { row } of siteSpacesOf(structure)) {
    for (const page of [[], ['setup'], ['guide'], ['guide', 'api'], [row.id]]) {
      const path = paths.pathOf(row.id, page);
      expect(used.has(path)).toBe(false);
      used.add(path);
      const found = paths.resolve(decode(path));
      expect([found?.siteSpace.row.id, found?.page]).toEqual([row.id, page]);
    }
  }
}

describe('the structure of a site', () => {
  test('keeps its rules through any sequence of changes', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        let rows = EMPTY;
        for (const item of changes) {
          rows = apply(rows, item);
          expectValid(rows);
        }
        expectPaths(rows);
      }),
      { numRuns: 300 },
    );
  });

  test('has short positions after many moves between the same siblings', () => {
    let rows = [0, 1, 2].reduce(
      (before, at) => addSiteSpace(before, { space: { id: `spc_${at}`, title: 'Guide' } }, createId).rows,
      EMPTY,
    );
    for (let round = 0; round < 1000; round++) {
      const [first, , last] = rows.siteSpaces.map(({ id }) => ({ type: 'site-space' as const, id }));
      rows = moveEntry(rows, last ?? { type: 'site-space', id: '' }, { after: first });
    }
    expectValid(rows);
    expect(Math.max(...rows.siteSpaces.map(({ position }) => position.length))).toBeLessThanOrEqual(40);
  });
});
