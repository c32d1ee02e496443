import { body, closed, documentOf, found, type Habit, inPath, ref, reject, responses } from '../habit.ts';

/** Uploads by PUT to a name that the client chooses, which never replace one: `If-None-Match: *` or 412. */
export const uploads: Habit = {
  document: documentOf(
    {
      '/files/{fileName}': {
        parameters: [inPath('fileName', { type: 'string', minLength: 1, maxLength: 40 })],
        put: {
          operationId: 'uploadFile',
          parameters: [{ name: 'If-None-Match', in: 'header', required: true, schema: { const: '*' } }],
          requestBody: body(closed({ text: { type: 'string', maxLength: 20 } }, ['text'])),
          responses: responses(201, ref('File')),
        },
        get: { operationId: 'readFile', responses: responses(200, ref('File')) },
        delete: { operationId: 'deleteFile', responses: responses(204) },
      },
    },
    { File: closed({ name: { type: 'string' }, text: { type: 'string', maxLength: 20 } }, ['name', 'text']) },
  ),
  faults: { 'stores nothing': 'read-after-create', 'truncates texts': 'read-after-create' },
  handlers(fault) {
    const files = new Map<string, { name: string; text: string }>();
    return {
      uploadFile: ({ path, body }) => {
        const file = { name: path.fileName ?? '', text: (body as { text: string }).text };
        if (files.has(file.name)) {
          reject(412);
        }
        if (fault !== 'stores nothing') {
          files.set(file.name, fault === 'truncates texts' ? { ...file, text: file.text.slice(1) } : file);
        }
        return { status: 201, body: file };
      },
      readFile: ({ path }) => ({ status: 200, body: found(files.get(path.fileName ?? '')) }),
      deleteFile: ({ path }) => (files.delete(path.fileName ?? '') ? { status: 204 } : reject(404)),
    };
  },
};
