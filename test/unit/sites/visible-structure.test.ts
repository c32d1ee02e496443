import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeJson } from '../../../server/database/json.ts';
import { visibleStructure } from '../../../server/platform/sites/visitors/structure.ts';
import { visitorOf } from '../../../server/platform/sites/visitors/visitor.ts';
import {
  rootSiteSpacesOf,
  type SectionEntry,
  type SectionNode,
  type SiteRow,
  type SiteSpaceEntry,
  type SiteStructure,
} from '../../../server/platform/spaces/publications/structure.ts';
import { SITE } from './site-row.ts';

const claim = { type: 'boolean', description: 'Claim.' } as const;
const site: SiteRow = {
  ...SITE,
  adaptiveContent: 1,
  adaptiveSchema: writeJson({
    type: 'object',
    properties: { a: claim, b: claim },
    additionalProperties: false,
  }),
};

/** A condition with its value for a visitor with the claim `a` and without the claim `b`. */
const CONDITIONS = [null, 'visitor.claims.a', 'visitor.claims.b', 'visitor.claims.gone'] as const;
const isShown = (condition: string | null) => condition === null || condition === 'visitor.claims.a';
const visitor = visitorOf(site, { a: true });

const condition = fc.constantFrom(...CONDITIONS);
const siteSpaces = fc
  .tuple(fc.array(condition, { minLength: 1, maxLength: 4 }), fc.nat())
  .map(([conditions, index]) => ({ conditions, index: index % conditions.length }));
const section = fc.record({ condition, siteSpaces });
const entry = fc.oneof(
  section.map((value) => [value]),
  fc.array(section, { maxLength: 3 }),
);

type Drawn = { conditions: (string | null)[]; index: number };

const entriesOf = ({ conditions, index }: Drawn, owner: string): SiteSpaceEntry[] =>
  conditions.map((value, position) => ({
    type: 'site-space',
    row: {
      id: `${owner}.${position}`,
      organization: 'org',
      site: 'site',
      section: owner,
      space: 'space',
      path: `${position}`,
      condition: value,
      position: '',
    },
    isDefault: position === index,
  }));

function sectionOf(value: { condition: string | null; siteSpaces: Drawn }, id: string): SectionNode {
  return {
    type: 'site-section',
    row: {
      id,
      organization: 'org',
      site: 'site',
      sectionGroup: null,
      title: id,
      description: null,
      path: id,
      condition: value.condition,
      icon: null,
      defaultSiteSpace: `${id}.${value.siteSpaces.index}`,
      position: '',
    },
    isDefault: false,
    siteSpaces: entriesOf(value.siteSpaces, id),
  };
}

const sectionsOf = (entries: SiteStructure['entries']): SectionNode[] =>
  [...entries].flatMap((value: SectionEntry | SiteSpaceEntry) =>
    value.type === 'site-section' ? [value] : value.type === 'site-section-group' ? value.sections : [],
  );

const structures = fc
  .tuple(fc.array(fc.tuple(fc.boolean(), entry), { maxLength: 5 }), fc.nat())
  .map(([drawn, index]): SiteStructure => {
    const entries = drawn.flatMap(([isGroup, sections], position): SectionEntry[] => {
      const nodes = sections.map((value, number) => sectionOf(value, `${position}-${number}`));
      const row = {
        id: `group-${position}`,
        organization: 'org',
        site: 'site',
        title: '',
        icon: null,
        position: '',
      };
      return isGroup ? [{ type: 'site-section-group', row, sections: nodes }] : nodes;
    });
    const all = sectionsOf(entries);
    const chosen = all[index % Math.max(all.length, 1)];
    if (chosen) {
      chosen.isDefault = true;
    }
    return { site: { ...site, defaultSection: chosen?.row.id ?? null }, entries };
  });

const defaultsOf = (entries: readonly { isDefault: boolean; row: { id: string } }[]) =>
  entries.filter(({ isDefault }) => isDefault).map(({ row }) => row.id);

describe('the structure that a visitor sees', () => {
  test('has exactly the sections and site spaces whose conditions hold, in order', () => {
    fc.assert(
      fc.property(structures, (structure) => {
        const seen = visibleStructure(structure, visitor);
        const expected = sectionsOf(structure.entries)
          .filter(({ row }) => isShown(row.condition))
          .map(({ row, siteSpaces }) => [
            row.id,
            siteSpaces.filter((each) => isShown(each.row.condition)).map((each) => each.row.id),
          ])
          .filter(([, spaces]) => spaces?.length !== 0);
        expect(
          sectionsOf(seen.entries).map(({ row, siteSpaces }) => [
            row.id,
            siteSpaces.map((each) => each.row.id),
          ]),
        ).toEqual(expected);
        for (const each of seen.entries) {
          expect(each.type === 'site-section-group' && each.sections.length === 0).toBe(false);
        }
      }),
    );
  });

  test('keeps its defaults, or makes the first entry the default', () => {
    fc.assert(
      fc.property(structures, (structure) => {
        const before = JSON.stringify(structure);
        const seen = visibleStructure(structure, visitor);
        expect(JSON.stringify(structure)).toBe(before);
        const sections = sectionsOf(seen.entries);
        const kept = sections.find(({ row }) => row.id === structure.site.defaultSection);
        const elected = kept ?? sections[0];
        expect(defaultsOf(sections)).toEqual(elected ? [elected.row.id] : []);
        const originals = new Map(
          sectionsOf(structure.entries).map(({ row }) => [row.id, row.defaultSiteSpace]),
        );
        for (const { row, siteSpaces } of sections) {
          const original = siteSpaces.find((each) => each.row.id === originals.get(row.id));
          expect(defaultsOf(siteSpaces)).toEqual([(original ?? siteSpaces[0])?.row.id]);
        }
      }),
    );
  });

  test('of site spaces at the root follows the same rules', () => {
    fc.assert(
      fc.property(siteSpaces, (drawn) => {
        const entries = entriesOf(drawn, 'root');
        const defaultSiteSpace = `root.${drawn.index}`;
        const seen = visibleStructure({ site: { ...site, defaultSiteSpace }, entries }, visitor);
        const ids = entries.filter(({ row }) => isShown(row.condition)).map(({ row }) => row.id);
        expect(seen.entries.map(({ row }) => row.id)).toEqual(ids);
        expect(defaultsOf(rootSiteSpacesOf(seen))).toEqual(
          ids.includes(defaultSiteSpace) ? [defaultSiteSpace] : ids.slice(0, 1),
        );
      }),
    );
  });

  test('is whole without adaptive content', () => {
    fc.assert(
      fc.property(structures, (structure) => {
        const disabled = { ...structure.site, adaptiveContent: 0 } as const;
        const seen = visibleStructure({ ...structure, site: disabled }, visitorOf(disabled, {}));
        expect(sectionsOf(seen.entries)).toEqual(sectionsOf(structure.entries));
      }),
    );
  });
});
