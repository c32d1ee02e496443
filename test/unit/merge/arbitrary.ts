import fc from 'fast-check';
import { Space } from './space.ts';

/** An edit of a space; numbers select among the existing pages. */
type Edit =
  | { do: 'write'; page: number; line: number; text: string }
  | { do: 'name'; page: number; field: 'title' | 'slug' | 'description' | 'icon'; value: string }
  | { do: 'add'; into: number; at: number; slug: string }
  | { do: 'move'; page: number; into: number; at: number }
  | { do: 'remove'; page: number };

/** A side of a merge: its edits in order. */
export type Script = readonly Edit[];

const number = fc.nat({ max: 30 });
const word = fc.constantFrom('one', 'two', 'three');

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ do: fc.constant('write' as const), page: number, line: number, text: word }),
  fc.record({
    do: fc.constant('name' as const),
    page: number,
    field: fc.constantFrom('title', 'slug', 'description', 'icon'),
    value: word,
  }),
  fc.record({ do: fc.constant('add' as const), into: number, at: number, slug: word }),
  fc.record({ do: fc.constant('move' as const), page: number, into: number, at: number }),
  fc.record({ do: fc.constant('remove' as const), page: number }),
);

export const script: fc.Arbitrary<Script> = fc.array(edit, { maxLength: 6 });

/** Spaces of up to a dozen pages with a few lines each; every third is a group. */
export const space: fc.Arbitrary<Space> = fc.array(number, { minLength: 1, maxLength: 12 }).map((parents) => {
  const created = new Space();
  parents.forEach((parent, at) => {
    const into = choose([null, ...created.pages.keys()], parent) ?? null;
    if (at % 3 === 2) {
      created.addGroup(`g${at}`, into);
    } else {
      created.add(`d${at}`, { into, text: textOf(['first', '', 'second', '', `third of ${at}`]) });
    }
  });
  return created;
});

/** Applies a script to a space. Added text identifies its edit and its side, unless `anonymous`. */
export function edited(space: Space, script: Script, by: string, anonymous = false): Space {
  const copy = space.copy();
  script.forEach((edit, at) => {
    apply(copy, edit, `${by}${at}`, (value) => (anonymous ? value : `${value}-${by}${at}`));
  });
  return copy;
}

function apply(space: Space, edit: Edit, id: string, signed: (value: string) => string): void {
  const ids = [...space.pages.keys()];
  if (edit.do === 'add') {
    const into = choose([null, ...ids], edit.into) ?? null;
    space.add(id, { into, at: positionIn(space, into, edit.at), slug: signed(edit.slug) });
    return;
  }
  const page = choose(ids, edit.page);
  if (page === undefined) {
    return;
  }
  const record = space.page(page);
  switch (edit.do) {
    case 'write':
      if (record.type === 'document') {
        const lines = linesOf(space, page);
        space.write(page, textOf(lines.with(edit.line % lines.length, signed(edit.text))));
      }
      break;
    case 'name':
      if (record.type === 'document' || edit.field !== 'description') {
        space.set(page, { [edit.field]: signed(edit.value) });
      }
      break;
    case 'move': {
      const below = new Set(space.below(page));
      const into = choose([null, ...ids.filter((other) => !below.has(other))], edit.into) ?? null;
      space.move(page, into, positionIn(space, into, edit.at));
      break;
    }
    case 'remove':
      space.remove(page);
  }
}

/** Returns the lines of a document; none for other pages. */
export function linesOf(space: Space, id: string): string[] {
  return space.text(id).split('\n').slice(0, -1);
}

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
const choose = <Item>(items: readonly Item[], by: number): Item | undefined => items[by % items.length];
const positionIn = (space: Space, into: string | null, by: number) =>
  by % ((space.children.get(into) ?? []).length + 1);
