import {
  body,
  closed,
  counter,
  documentOf,
  found,
  type Habit,
  inPath,
  ref,
  reject,
  responses,
} from '../habit.ts';

type Note = Record<string, unknown>;
const labels = { type: 'object', additionalProperties: { type: 'string', maxLength: 10 } };
const options = closed({ color: { type: 'string', maxLength: 8 }, size: { type: 'integer', minimum: 0 } });
const optional = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });

/** A merge patch (RFC 7396): an empty object or map changes nothing, and null removes a member. */
export const mergePatch: Habit = {
  document: documentOf(
    {
      '/notes': {
        post: {
          operationId: 'createNote',
          requestBody: body(ref('NoteWrite')),
          responses: responses(201, ref('Note')),
        },
      },
      '/notes/{noteId}': {
        parameters: [inPath('noteId')],
        get: { operationId: 'getNote', responses: responses(200, ref('Note')) },
        patch: {
          operationId: 'patchNote',
          requestBody: body(ref('NotePatch'), 'application/merge-patch+json'),
          responses: responses(200, ref('Note')),
        },
        delete: { operationId: 'deleteNote', responses: responses(204) },
      },
    },
    {
      NoteWrite: closed({ labels, options }),
      NotePatch: closed({
        labels: optional({ ...labels, additionalProperties: { type: ['string', 'null'], maxLength: 10 } }),
        options: optional(options),
      }),
      Note: closed({ id: { type: 'string' }, labels, options }, ['id']),
    },
  ),
  faults: { 'replaces objects': 'read-after-update', 'ignores patches': 'read-after-update' },
  handlers(fault) {
    const notes = new Map<string, Note>();
    const next = counter('note');
    const merge = (before: unknown, patch: unknown): unknown => {
      if (!isObject(patch)) {
        return patch;
      }
      const merged = new Map(Object.entries(isObject(before) && fault !== 'replaces objects' ? before : {}));
      for (const [name, value] of Object.entries(patch)) {
        if (value === null) {
          merged.delete(name);
        } else {
          merged.set(name, merge(merged.get(name), value));
        }
      }
      return Object.fromEntries(merged);
    };
    return {
      createNote: ({ body }) => {
        const note = { id: next(), ...(body as object) };
        notes.set(note.id, note);
        return { status: 201, body: note };
      },
      getNote: ({ path }) => ({ status: 200, body: found(notes.get(path.noteId ?? '')) }),
      patchNote: ({ path, body }) => {
        const note = found(notes.get(path.noteId ?? ''));
        for (const [name, value] of Object.entries(fault === 'ignores patches' ? {} : (body as object))) {
          const merged = value === null ? undefined : merge(note[name], value);
          note[name] = merged;
        }
        return { status: 200, body: JSON.parse(JSON.stringify(note)) };
      },
      deleteNote: ({ path }) => (notes.delete(path.noteId ?? '') ? { status: 204 } : reject(404)),
    };
  },
};

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
