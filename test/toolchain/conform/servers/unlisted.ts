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

const visibility = { type: 'string', enum: ['listed', 'unlisted'] };

/** Resources that their own visibility leaves out of lists. */
export const unlisted: Habit = {
  document: documentOf(
    {
      '/notes': {
        get: { operationId: 'listNotes', responses: responses(200, { type: 'array', items: ref('Note') }) },
        post: {
          operationId: 'createNote',
          requestBody: body(closed({ visibility }, ['visibility'])),
          responses: responses(201, ref('Note')),
        },
      },
      '/notes/{noteId}': {
        parameters: [inPath('noteId')],
        get: { operationId: 'getNote', responses: responses(200, ref('Note')) },
        delete: { operationId: 'deleteNote', responses: responses(204) },
      },
    },
    { Note: closed({ id: { type: 'string' }, visibility }, ['id', 'visibility']) },
  ),
  faults: { 'omits listed notes': 'list-contains-created' },
  handlers(fault) {
    const next = counter('id');
    const notes = new Map<string, Note>();
    return {
      listNotes: () => ({
        status: 200,
        body: fault ? [] : [...notes.values()].filter((note) => note.visibility === 'listed'),
      }),
      createNote: ({ body }) => {
        const note = { id: next(), ...(body as Pick<Note, 'visibility'>) };
        notes.set(note.id, note);
        return { status: 201, body: note };
      },
      getNote: ({ path }) => ({ status: 200, body: found(notes.get(path.noteId ?? '')) }),
      deleteNote: ({ path }) => (notes.delete(path.noteId ?? '') ? { status: 204 } : reject(404)),
    };
  },
};

interface Note {
  id: string;
  visibility: string;
}
