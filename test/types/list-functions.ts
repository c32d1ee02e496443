// Checked by `tsc`, never run: lists with a shape that their generated functions know.
import { createClient, paginate } from '../../client/index.ts';
import * as lists from '../fixtures/lists/generated/functions.ts';
import type { paths } from '../fixtures/lists/generated/schema.d.ts';

const client = createClient<paths>({ baseUrl: 'https://api.example.com' });

export async function types(): Promise<void> {
  // @ts-expect-error: the path parameter is required
  paginate(client, lists.listByLink);
  // @ts-expect-error: no such parameter
  paginate(client, lists.listByCursor, { limits: 2 });
  for await (const star of paginate(client, lists.listByLink, { galaxy: 'm31' })) {
    star.name.toUpperCase();
    // @ts-expect-error: no such property
    star.title;
  }
  // @ts-expect-error: the shape of another list is required
  paginate(client, '/cursor');
}
