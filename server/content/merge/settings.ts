import type { ContentChange } from '../tree/change.ts';
import type { Content } from '../tree/content.ts';
import type { ReusableRecord } from '../tree/records.ts';
import { type Body, mergeBodies } from './bodies.ts';
import type { FieldConflict } from './fields.ts';
import type { MergeOptions } from './lines.ts';
import { mergeOrder } from './order.ts';
import type { Merged } from './pages.ts';
import {
  conflictOf,
  joinById,
  type MergeConflict,
  type MergeSides,
  mapSides,
  mergeValue,
  type Side,
  type Sides,
  same,
} from './sides.ts';

/*
 * Parts of the root object that are merged as a whole. If only one side changed a part, its value is used; only parts
 * that both sides changed are merged by name or ID.
 */

/** Merges the variables of the content by name. In a conflict with a deletion, the variable stays. */
export async function mergeVariables(
  sides: MergeSides,
  { prefer }: MergeOptions,
): Promise<{ change: Pick<ContentChange, 'variables'>; conflicts: MergeConflict[] }> {
  const read = await readIfDifferent(sides, 'variables', (content) => content.readVariables());
  if (!read) {
    return { change: {}, conflicts: [] };
  }
  const conflicts: MergeConflict[] = [];
  const variables: Record<string, string> = Object.create(null);
  for (const [variable, values] of joinById(mapSides(read, Object.entries<string>))) {
    const { value, conflict } = mergeValue(values, prefer);
    const retained = conflict ? (value ?? values.branch ?? values.primary) : value;
    if (retained !== undefined) {
      variables[variable] = retained;
    }
    if (!conflict) {
      continue;
    }
    const isDeleted = values.primary === undefined || values.branch === undefined;
    conflicts.push({ variable, ...conflictOf(isDeleted ? 'deleted' : 'value', prefer) });
  }
  return { change: { variables }, conflicts };
}

/** Merges the source that the whole content is computed from. */
export async function mergeComputed(
  sides: MergeSides,
  { prefer }: MergeOptions,
): Promise<{ change: Pick<ContentChange, 'computed'>; conflicts: MergeConflict[] }> {
  const read = await readIfDifferent(sides, 'computed', (content) => content.readComputed());
  if (!read) {
    return { change: {}, conflicts: [] };
  }
  const { value, conflict } = mergeValue(read, prefer);
  return { change: { computed: value ?? null }, conflicts: conflict ? [{ part: 'computed' }] : [] };
}

/** Merges reusable contents by ID, their texts by line, and their order. */
export async function mergeReusableContents(
  sides: MergeSides,
  options: MergeOptions,
): Promise<Merged<Pick<ContentChange, 'reusableContents'>>> {
  const read = await readIfDifferent(sides, 'reusableContents', (content) => content.readReusableContents());
  if (!read) {
    return { change: {}, texts: [], conflicts: [] };
  }
  const drafts = new Map<string, { record: ReusableRecord; body: Body }>();
  for (const [id, records] of joinById(mapSides(read, byId))) {
    const draft = draftOf(records, options.prefer);
    if (draft) {
      drafts.set(id, draft);
    }
  }
  const bodiesById = new Map([...drafts].map(([id, { body }]) => [id, body]));
  const bodies = await mergeBodies(sides, bodiesById, options);
  const { ancestor = [], primary = [], branch = [] } = mapSides(read, (list) => list.map(({ id }) => id));
  const order = mergeOrder({ ancestor, primary, branch }, (id) => drafts.has(id));
  return {
    change: {
      reusableContents: order.flatMap((id) => {
        const record = drafts.get(id)?.record;
        return record ? [{ ...record, body: bodies.get(id)?.hash ?? record.body }] : [];
      }),
    },
    texts: [...bodies.values()].flatMap(({ text }) => text ?? []),
    conflicts: [...drafts].flatMap(([reusableContent, { body }]) => {
      const whole =
        body.deletedBy !== undefined ? ['deleted'] : bodies.get(reusableContent)?.conflict ? ['text'] : [];
      return [...whole, ...body.fields.map(({ name }) => name)].map((part) => ({
        reusableContent,
        ...conflictOf(part, options.prefer),
      }));
    }),
  };
}

const byId = (records: readonly ReusableRecord[]) => records.map((record) => [record.id, record] as const);

/** Merges the record of a reusable content; undefined if it is deleted. */
function draftOf(
  { ancestor, primary, branch }: Sides<ReusableRecord>,
  prefer: Side | undefined,
): { record: ReusableRecord; body: Body } | undefined {
  if (!primary || !branch) {
    const record = primary ?? branch;
    if (!record || (ancestor && same(editableParts(ancestor), editableParts(record)))) {
      return undefined;
    }
    const hashes = mapSides({ ancestor: undefined, primary, branch }, ({ body }) => body);
    const deletedBy = ancestor && (primary ? 'branch' : 'primary');
    return { record, body: { hashes, deletedBy, fields: [] } };
  }
  const sides = { ancestor, primary, branch };
  const title = mergeValue(
    mapSides(sides, (record) => record.title),
    prefer,
  );
  const fields: FieldConflict[] = title.conflict
    ? [{ name: 'title', primary: primary.title, branch: branch.title }]
    : [];
  const git = same(primary.git, ancestor?.git) ? branch.git : primary.git;
  return {
    record: { id: primary.id, title: title.value ?? branch.title, body: branch.body, ...(git && { git }) },
    body: { hashes: mapSides(sides, ({ body }) => body), fields },
  };
}

const editableParts = ({ title, body }: ReusableRecord) => ({ title, body });

/** Reads a part of the three contents, unless the branch's equals the ancestor's or the primary's. */
async function readIfDifferent<Value>(
  { ancestor, primary, branch }: MergeSides,
  part: 'variables' | 'reusableContents' | 'computed',
  read: (content: Content) => Promise<Value>,
): Promise<Sides<Value> | undefined> {
  // Equal values have equal packed forms.
  const forms = { ancestor: ancestor.roots[part], primary: primary.roots[part], branch: branch.roots[part] };
  const { value } = mergeValue(forms);
  if (same(value, forms.primary)) {
    return undefined;
  }
  const [original, primaryValue, branchValue] = await Promise.all([
    read(ancestor),
    read(primary),
    read(branch),
  ]);
  return { ancestor: original, primary: primaryValue, branch: branchValue };
}
