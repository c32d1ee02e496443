import type { PageRecord } from '../tree/records.ts';
import type { Json } from '../tree/values.ts';
import { mapSides, mergeValue, type Sides, same } from './sides.ts';

/** A field that both sides changed, in different ways. */
export interface FieldConflict {
  /** As a conflict names it. */
  name: string;
  primary: Json | undefined;
  branch: Json | undefined;
}

/** Fields that nobody writes: no conflict arises from them, and a page is not edited when only they are another. */
export const bookkeeping: ReadonlySet<string> = new Set([
  'createdAt',
  'updatedAt',
  'git',
  'documentId',
  'origin',
  'computedSeed',
]);

/** Fields that have names of their own in them, each of which is merged by itself. */
const inParts: ReadonlySet<string> = new Set(['layout', 'variables']);

/** Fields that are merged in another way: the place and the text of a page. */
const apart: ReadonlySet<string> = new Set(['id', 'type', 'parent', 'body']);

type Fields = Readonly<Record<string, Json>>;

/**
 * Merges all of a page but its place and its text, which the result has from either side. The branch's value
 * stands where both sides changed a field.
 */
export function mergeFields({
  ancestor,
  primary,
  branch,
}: Sides<PageRecord> & { primary: PageRecord; branch: PageRecord }): {
  record: PageRecord;
  conflicts: FieldConflict[];
} {
  const conflicts: FieldConflict[] = [];
  const whole = mergeValue({ ancestor, primary, branch });
  if (!whole.conflict) return { record: whole.value ?? branch, conflicts };
  if (primary.type !== branch.type) return mergeTypes({ primary, branch });
  const sides = mapSides<PageRecord, Fields>({ ancestor, primary, branch }, fieldsOf);
  const merged: Record<string, Json> = { ...fieldsOf(branch) };
  for (const name of namesOf(sides)) {
    if (apart.has(name)) continue;
    const field = mapSides(sides, (fields) => fields[name]);
    const value = bookkeeping.has(name)
      ? mergeBookkeeping(name, field)
      : inParts.has(name)
        ? mergeParts(name, field, conflicts)
        : mergeField(name, field, conflicts);
    put(merged, name, value);
  }
  // What a page is computed with belongs to what it is computed from.
  if (
    same(merged.computed, fieldsOf(branch).computed) &&
    !same(merged.computed, fieldsOf(primary).computed)
  ) {
    put(merged, 'computedSeed', fieldsOf(branch).computedSeed);
  }
  return { record: recordOf(merged), conflicts };
}

/** A page that became one of another type: nothing of the one fits into the other. */
function mergeTypes({ primary, branch }: { primary: PageRecord; branch: PageRecord }) {
  // A text is what would be lost the most.
  const record = primary.type === 'document' ? primary : branch;
  return { record, conflicts: [{ name: 'type', primary: primary.type, branch: branch.type }] };
}

function mergeField(name: string, field: Sides<Json>, conflicts: FieldConflict[]): Json | undefined {
  const { value, conflict } = mergeValue(field);
  if (conflict) conflicts.push({ name, primary: field.primary, branch: field.branch });
  return value;
}

function mergeParts(name: string, field: Sides<Json>, conflicts: FieldConflict[]): Json | undefined {
  // These fields hold names with values, see DocumentRecord.
  const sides = mapSides(field, (value) => value as Fields);
  const merged: Record<string, Json> = Object.create(null);
  for (const part of namesOf(sides)) {
    const value = mergeField(
      `${name}.${part}`,
      mapSides(sides, (fields) => fields[part]),
      conflicts,
    );
    put(merged, part, value);
  }
  return Object.keys(merged).length > 0 ? merged : undefined;
}

/** The later time of the two, where it is one of change; else what the primary made of it. */
function mergeBookkeeping(name: string, { ancestor, primary, branch }: Sides<Json>): Json | undefined {
  if (name === 'updatedAt') return (primary ?? '') > (branch ?? '') ? primary : branch;
  return same(ancestor, primary) ? branch : primary;
}

function namesOf({ ancestor, primary, branch }: Sides<Fields>): string[] {
  const names = [ancestor, primary, branch].flatMap((fields) => Object.keys(fields ?? {}));
  return [...new Set(names)].sort();
}

function put(fields: Record<string, Json>, name: string, value: Json | undefined): void {
  if (value === undefined) delete fields[name];
  else fields[name] = value;
}

/** A record as what it is made of: JSON alone, which its type does not say by itself; and back. */
const fieldsOf = (record: PageRecord) => record as unknown as Fields;
const recordOf = (fields: Fields) => fields as unknown as PageRecord;
