import type { PageRecord } from '../tree/records.ts';
import type { Json } from '../tree/values.ts';
import { mapSides, mergeValue, type Side, type Sides, same } from './sides.ts';

/** A field that both sides changed to different values. */
export interface FieldConflict {
  /** Name of the field in conflicts. */
  name: string;
  primary: Json | undefined;
  branch: Json | undefined;
}

/** Fields that users do not edit: they never conflict, and a change of them alone is not an edit of the page. */
export const BOOKKEEPING_FIELDS: ReadonlySet<string> = new Set([
  'createdAt',
  'updatedAt',
  'git',
  'linksRoot',
  'documentId',
  'origin',
  'computedSeed',
]);

/** Fields that contain named values, which are merged one by one. */
const FIELDS_MERGED_BY_NAME: ReadonlySet<string> = new Set(['layout', 'variables']);

/** Fields that are merged elsewhere: the position and the text of a page. */
const FIELDS_MERGED_ELSEWHERE: ReadonlySet<string> = new Set(['id', 'type', 'parent', 'body']);

type Fields = Readonly<Record<string, Json>>;

/**
 * Merges the fields of a page, except its position and text, which are those of either side. The value of the preferred
 * side is used for fields that both sides changed.
 */
export function mergeFields(
  { ancestor, primary, branch }: Sides<PageRecord> & { primary: PageRecord; branch: PageRecord },
  prefer?: Side,
): {
  record: PageRecord;
  conflicts: FieldConflict[];
} {
  const conflicts: FieldConflict[] = [];
  const whole = mergeValue({ ancestor, primary, branch });
  if (!whole.conflict) {
    return { record: whole.value ?? branch, conflicts };
  }
  if (primary.type !== branch.type) {
    return mergeTypes({ primary, branch });
  }
  const sides = mapSides<PageRecord, Fields>({ ancestor, primary, branch }, fieldsOf);
  const merged: Record<string, Json> = { ...fieldsOf(branch) };
  for (const name of namesOf(sides)) {
    if (FIELDS_MERGED_ELSEWHERE.has(name)) {
      continue;
    }
    const field = mapSides(sides, (fields) => fields[name]);
    const value = BOOKKEEPING_FIELDS.has(name)
      ? mergeBookkeeping(name, field)
      : FIELDS_MERGED_BY_NAME.has(name)
        ? mergeParts(name, field, conflicts, prefer)
        : mergeField(name, field, conflicts, prefer);
    put(merged, name, value);
  }
  // The seed belongs to the source that the page is computed from.
  if (
    same(merged.computed, fieldsOf(branch).computed) &&
    !same(merged.computed, fieldsOf(primary).computed)
  ) {
    put(merged, 'computedSeed', fieldsOf(branch).computedSeed);
  }
  return { record: recordOf(merged), conflicts };
}

/** Merges a page with a changed type: no fields can be combined. */
function mergeTypes({ primary, branch }: { primary: PageRecord; branch: PageRecord }) {
  // A lost text would be the worst loss.
  const record = primary.type === 'document' ? primary : branch;
  return { record, conflicts: [{ name: 'type', primary: primary.type, branch: branch.type }] };
}

function mergeField(
  name: string,
  field: Sides<Json>,
  conflicts: FieldConflict[],
  prefer?: Side,
): Json | undefined {
  const { value, conflict } = mergeValue(field, prefer);
  if (conflict) {
    conflicts.push({ name, primary: field.primary, branch: field.branch });
  }
  return value;
}

function mergeParts(
  name: string,
  field: Sides<Json>,
  conflicts: FieldConflict[],
  prefer?: Side,
): Json | undefined {
  // These fields map names to values, see DocumentRecord.
  const sides = mapSides(field, (value) => value as Fields);
  const merged: Record<string, Json> = Object.create(null);
  for (const part of namesOf(sides)) {
    const value = mergeField(
      `${name}.${part}`,
      mapSides(sides, (fields) => fields[part]),
      conflicts,
      prefer,
    );
    put(merged, part, value);
  }
  return Object.keys(merged).length > 0 ? merged : undefined;
}

/** Returns the later `updatedAt`; of other fields the primary's value if it changed, else the branch's. */
function mergeBookkeeping(name: string, { ancestor, primary, branch }: Sides<Json>): Json | undefined {
  if (name === 'updatedAt') {
    return (primary ?? '') > (branch ?? '') ? primary : branch;
  }
  return same(ancestor, primary) ? branch : primary;
}

function namesOf({ ancestor, primary, branch }: Sides<Fields>): string[] {
  const names = [ancestor, primary, branch].flatMap((fields) => Object.keys(fields ?? {}));
  return [...new Set(names)].sort();
}

function put(fields: Record<string, Json>, name: string, value: Json | undefined): void {
  if (value === undefined) {
    delete fields[name];
  } else {
    fields[name] = value;
  }
}

/** Converts a record to its JSON fields, and back. The record type does not declare that it consists of JSON only. */
const fieldsOf = (record: PageRecord) => record as unknown as Fields;
const recordOf = (fields: Fields) => fields as unknown as PageRecord;
