import {
  body,
  closed,
  counter,
  documentOf,
  found,
  type Habit,
  inPath,
  inQuery,
  ref,
  reject,
  responses,
} from '../habit.ts';

/** Parameters that are more than values of a schema: empty ones, and fixed ones at the place of an identifier. */
export const templates: Habit = {
  document: documentOf(
    {
      '/templates': {
        post: {
          operationId: 'createTemplate',
          requestBody: body(closed({ name: { type: 'string', maxLength: 9 } })),
          responses: responses(201, ref('Template')),
        },
      },
      '/templates/{templateId}': {
        parameters: [
          inPath('templateId'),
          { ...inQuery('pretty', { type: 'boolean' }), allowEmptyValue: true },
        ],
        get: { operationId: 'getTemplate', responses: responses(200, ref('Template')) },
        delete: { operationId: 'deleteTemplate', responses: responses(204) },
      },
      '/templates/{scope}/count': {
        parameters: [inPath('scope', { type: 'string', enum: ['own', 'shared'] })],
        get: { operationId: 'countTemplates', responses: responses(200, { type: 'integer' }) },
      },
    },
    {
      Template: closed({ id: { type: 'string' }, name: { type: 'string', maxLength: 9 } }, ['id']),
    },
  ),
  faults: { 'loses templates': 'read-after-create' },
  handlers(fault) {
    const next = counter('id');
    const all = new Map<string, object>();
    return {
      createTemplate: ({ body }) => {
        const template = { id: next(), ...(body as object) };
        if (fault === undefined) {
          all.set(template.id, template);
        }
        return { status: 201, body: template };
      },
      getTemplate: ({ path }) => ({ status: 200, body: found(all.get(path.templateId ?? '')) }),
      deleteTemplate: ({ path }) => (all.delete(path.templateId ?? '') ? { status: 204 } : reject(404)),
      countTemplates: () => ({ status: 200, body: all.size }),
    };
  },
};
