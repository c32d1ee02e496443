import { type ContentObject, textObject } from '../tree/objects.ts';
import { type Json, textOf } from '../tree/values.ts';
import type { FieldConflict } from './fields.ts';
import { type MergeTexts, mergeTexts, wholeTexts } from './lines.ts';
import { conflictLines } from './markers.ts';
import { type MergeSides, mergeValue, type Side, type Sides } from './sides.ts';

/** A text to merge, and what its author has to see in it. */
export interface Body {
  /** Hashes of the text; a side without one has no text of its own. */
  hashes: Sides<string>;
  /** The side that deleted what has this text. */
  deletedBy?: Side | undefined;
  /** Shown above the text. */
  fields: readonly FieldConflict[];
}

/** A merged text. */
export interface MergedBody {
  /** Its hash, undefined for none. */
  hash: string | undefined;
  /** Whether its lines are in conflict. */
  conflict: boolean;
  /** The text, where no side has it. */
  text?: ContentObject;
}

/** Merges texts. Loads those alone that both sides changed, or that get something to see. */
export async function mergeBodies<Key>(
  sides: MergeSides,
  bodies: ReadonlyMap<Key, Body>,
  merge: MergeTexts = mergeTexts,
): Promise<Map<Key, MergedBody>> {
  const read = await readTexts(
    sides,
    [...bodies.values()].filter((body) => !isSettled(body)).map(({ hashes }) => hashes),
  );
  const merged = new Map<Key, MergedBody>();
  // One after another: what `merge` does in threads must not fill their queue.
  for (const [key, body] of bodies) merged.set(key, await mergeBody(body, read, merge));
  return merged;
}

type Read = (hashes: Sides<string>, side: keyof MergeSides) => string;

const isSettled = ({ hashes, deletedBy, fields }: Body): boolean =>
  fields.length === 0 && deletedBy === undefined && !mergeValue(hashes).conflict;

async function mergeBody(body: Body, read: Read, merge: MergeTexts): Promise<MergedBody> {
  const { value } = mergeValue(body.hashes);
  if (isSettled(body)) return { hash: value, conflict: false };
  const merged = await mergedText(body, read, merge);
  if (merged === undefined) return { hash: undefined, conflict: false };
  const text = textObject(head(body.fields) + merged.text);
  return { hash: text.hash, conflict: merged.conflict, text };
}

/** undefined where neither side has a text. */
async function mergedText(
  { hashes, deletedBy }: Body,
  read: Read,
  merge: MergeTexts,
): Promise<{ text: string; conflict: boolean } | undefined> {
  const { value, conflict } = mergeValue(hashes);
  if (!conflict && deletedBy === undefined) {
    if (value === undefined) return undefined;
    return { text: read(hashes, value === hashes.primary ? 'primary' : 'branch'), conflict };
  }
  const [primary, branch] = [read(hashes, 'primary'), read(hashes, 'branch')];
  if (hashes.primary === undefined && hashes.branch === undefined) return undefined;
  if (hashes.primary === undefined) return wholeTexts({ branch });
  if (hashes.branch === undefined) return wholeTexts({ primary });
  return await merge({ ancestor: read(hashes, 'ancestor'), primary, branch });
}

/** Fields in conflict as lines to stand above a text. */
function head(fields: readonly FieldConflict[]): string {
  if (fields.length === 0) return '';
  const [primary, branch] = (['primary', 'branch'] as const).map((side) =>
    fields.flatMap((field) => fieldLine(field.name, field[side])),
  );
  return `${conflictLines({ primary: primary ?? [], branch: branch ?? [] }).join('\n')}\n\n`;
}

/** A value in one line; nothing where a side has none. */
function fieldLine(name: string, value: Json | undefined): string[] {
  if (value === undefined) return [];
  const isPlain = typeof value === 'string' && !/[\r\n]/.test(value);
  return [`${name}: ${isPlain ? value : JSON.stringify(value)}`];
}

async function readTexts(sides: MergeSides, wanted: ReadonlyArray<Sides<string>>): Promise<Read> {
  const names = ['ancestor', 'primary', 'branch'] as const;
  const loaded = await Promise.all(
    names.map((side) => sides[side].load([...new Set(wanted.flatMap((hashes) => hashes[side] ?? []))])),
  );
  const texts = new Map(names.map((side, at) => [side, loaded[at] ?? new Map<string, string>()]));
  return (hashes, side) => {
    const hash = hashes[side];
    return hash === undefined ? '' : textOf(hash, texts.get(side) ?? new Map());
  };
}
