import { type ContentObject, textObject } from '../tree/objects.ts';
import { type Json, storedText } from '../tree/values.ts';
import type { FieldConflict } from './fields.ts';
import { type MergedText, type MergeOptions, mergeTexts, wholeTexts } from './lines.ts';
import { conflictLines } from './markers.ts';
import { type MergeSides, mergeValue, type Side, type Sides } from './sides.ts';

/** A text to merge, and what its author is shown in it. */
export interface Body {
  /** Hashes of the text. A side without a hash has no text of its own. */
  hashes: Sides<string>;
  /** The side that deleted the resource with this text. */
  deletedBy?: Side | undefined;
  /** Conflicting fields shown above the text. */
  fields: readonly FieldConflict[];
}

/** A merged text. */
export interface MergedBody {
  /** Hash of the text; undefined if there is none. */
  hash: string | undefined;
  /** Whether lines of the text are in conflict. */
  conflict: boolean;
  /** First line of the first conflict in the primary's text, from 1. */
  line?: number | undefined;
  /** The text, if no side has it yet. */
  text?: ContentObject;
}

/** Merges texts. Loads only texts that both sides changed and texts that get conflict markers. */
export async function mergeBodies<Key>(
  sides: MergeSides,
  bodies: ReadonlyMap<Key, Body>,
  options: MergeOptions,
): Promise<Map<Key, MergedBody>> {
  const readText = await readTexts(
    sides,
    [...bodies.values()].filter((body) => !isSettled(body, options)).map(({ hashes }) => hashes),
  );
  const merged = new Map<Key, MergedBody>();
  // Sequential, so that merges in threads do not fill their queue.
  for (const [key, body] of bodies) {
    merged.set(key, await mergeBody(body, readText, options));
  }
  return merged;
}

type ReadText = (hashes: Sides<string>, side: keyof MergeSides) => string;

/** Whether a text needs neither a merge nor markers. */
const isSettled = ({ hashes, deletedBy, fields }: Body, { prefer }: MergeOptions): boolean =>
  !mergeValue(hashes).conflict && (prefer !== undefined || (fields.length === 0 && deletedBy === undefined));

async function mergeBody(body: Body, readText: ReadText, options: MergeOptions): Promise<MergedBody> {
  const { value } = mergeValue(body.hashes);
  if (isSettled(body, options)) {
    return { hash: value, conflict: false };
  }
  const merged = await mergedText(body, readText, options);
  if (merged === undefined) {
    return { hash: undefined, conflict: false };
  }
  const top = options.prefer === undefined ? head(body.fields) : '';
  const text = textObject(top + merged.text);
  return { hash: text.hash, conflict: merged.conflict, line: merged.line, text };
}

/** Merges a text that is not settled; undefined if neither side has one. */
async function mergedText(
  { hashes, deletedBy }: Body,
  readText: ReadText,
  { mergeTexts: merge = mergeTexts, prefer }: MergeOptions,
): Promise<MergedText | undefined> {
  const { value, conflict } = mergeValue(hashes);
  if (!conflict && deletedBy === undefined) {
    if (value === undefined) {
      return undefined;
    }
    return { text: readText(hashes, value === hashes.primary ? 'primary' : 'branch'), conflict };
  }
  const [primary, branch] = [readText(hashes, 'primary'), readText(hashes, 'branch')];
  if (hashes.primary === undefined && hashes.branch === undefined) {
    return undefined;
  }
  if (hashes.primary === undefined) {
    return wholeTexts({ branch, prefer: prefer && 'branch' });
  }
  if (hashes.branch === undefined) {
    return wholeTexts({ primary, prefer: prefer && 'primary' });
  }
  return await merge({ ancestor: readText(hashes, 'ancestor'), primary, branch, prefer });
}

/** Formats conflicting fields as lines for the start of a text. */
function head(fields: readonly FieldConflict[]): string {
  if (fields.length === 0) {
    return '';
  }
  const [primary, branch] = (['primary', 'branch'] as const).map((side) =>
    fields.flatMap((field) => fieldLine(field.name, field[side])),
  );
  return `${conflictLines({ primary: primary ?? [], branch: branch ?? [] }).join('\n')}\n\n`;
}

/** Formats a value as one line; no line for an undefined value. */
function fieldLine(name: string, value: Json | undefined): string[] {
  if (value === undefined) {
    return [];
  }
  const isPlain = typeof value === 'string' && !/[\r\n]/.test(value);
  return [`${name}: ${isPlain ? value : JSON.stringify(value)}`];
}

async function readTexts(sides: MergeSides, requested: ReadonlyArray<Sides<string>>): Promise<ReadText> {
  const names = ['ancestor', 'primary', 'branch'] as const;
  const loaded = await Promise.all(
    names.map((side) => sides[side].load([...new Set(requested.flatMap((hashes) => hashes[side] ?? []))])),
  );
  const texts = new Map(names.map((side, index) => [side, loaded[index] ?? new Map<string, string>()]));
  return (hashes, side) => {
    const hash = hashes[side];
    return hash === undefined ? '' : storedText(hash, texts.get(side) ?? new Map());
  };
}
