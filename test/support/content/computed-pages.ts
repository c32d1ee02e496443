import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import type { TestServer } from '../server.ts';

/** Options of {@link computedEntry}. */
interface ComputedEntryOptions {
  /** Title of the pages in the tree, instead of that of the specification. */
  title?: string;
  /** Whether to include the data models. */
  models?: boolean;
  /** Indentation of the entry in the list. */
  indent?: string;
}

/** Returns an entry of a table of contents with the pages of a specification. */
export function computedEntry(
  slug: string,
  { title, models = true, indent = '' }: ComputedEntryOptions = {},
): string {
  const lines = [
    '* ```yaml',
    ...(title === undefined ? [] : [`  title: ${title}`]),
    '  type: builtin:openapi',
    '  props:',
    `    models: ${models}`,
    '  dependencies:',
    '    spec:',
    '      ref:',
    '        kind: openapi',
    `        spec: ${slug}`,
    '  ```',
  ];
  return lines.map((line) => `${indent}${line}\n`).join('');
}

/** Creates a space as the admin, with all content computed from a specification. */
export async function createComputedSpace(
  { admin, organization }: TestServer,
  slug: string,
): Promise<components['schemas']['Space']> {
  return await ok(
    admin.client.POST('/v1/orgs/{organizationId}/spaces', {
      params: { path: { organizationId: organization } },
      body: {
        title: 'API',
        computedSource: {
          type: 'builtin:openapi',
          props: { models: true },
          dependencies: { spec: { ref: { kind: 'openapi', spec: slug } } },
        },
      },
    }),
  );
}
