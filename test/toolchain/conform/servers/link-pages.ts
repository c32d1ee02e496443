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

/** Pages with the next address only in the header `Link` (RFC 8288). */
export const linkPages: Habit = {
  document: documentOf(
    {
      '/photos': {
        get: {
          operationId: 'listPhotos',
          parameters: [
            inQuery('cursor', { type: 'string' }),
            inQuery('per_page', { type: 'integer', minimum: 1, maximum: 20, default: 5 }),
          ],
          responses: responses(200, { type: 'array', items: ref('Photo') }, undefined, {
            Link: { schema: { type: 'string' } },
          }),
        },
        post: {
          operationId: 'createPhoto',
          requestBody: body(closed({ title: { type: 'string', maxLength: 9 } }, ['title'])),
          responses: responses(201, ref('Photo')),
        },
      },
      '/photos/{photoId}': {
        parameters: [inPath('photoId')],
        get: { operationId: 'getPhoto', responses: responses(200, ref('Photo')) },
        delete: { operationId: 'deletePhoto', responses: responses(204) },
      },
    },
    { Photo: closed({ id: { type: 'string' }, title: { type: 'string', maxLength: 9 } }, ['id', 'title']) },
  ),
  faults: { 'skips a photo between pages': 'pages-complete', 'links to the same page': 'pages-complete' },
  handlers(fault) {
    const photos = new Map<string, { id: string; title: string }>();
    const next = counter('photo');
    return {
      listPhotos: ({ query }) => {
        const all = [...photos.values()];
        const size = Number(query.per_page ?? 5);
        const at = query.cursor === undefined ? 0 : Number(Buffer.from(String(query.cursor), 'base64url'));
        if (!Number.isInteger(at)) {
          reject(400);
        }
        const end = at + size;
        const target = fault === 'links to the same page' ? at : end + (fault === undefined ? 0 : 1);
        const cursor = Buffer.from(String(target)).toString('base64url');
        const link = `</photos?per_page=${size}&cursor=${cursor}>; rel="next"`;
        return {
          status: 200,
          body: all.slice(at, end),
          ...(end < all.length && { headers: { Link: link } }),
        };
      },
      createPhoto: ({ body }) => {
        const photo = { id: next(), ...(body as { title: string }) };
        photos.set(photo.id, photo);
        return { status: 201, body: photo };
      },
      getPhoto: ({ path }) => ({ status: 200, body: found(photos.get(path.photoId ?? '')) }),
      deletePhoto: ({ path }) => (photos.delete(path.photoId ?? '') ? { status: 204 } : reject(404)),
    };
  },
};
