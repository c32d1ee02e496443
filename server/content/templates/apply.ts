import { readFileSync } from 'node:fs';
import type { components } from '../../../generated/schema.d.ts';
import { fieldInvalid } from '../../errors/errors.ts';
import { planEdits } from '../edit/edit.ts';
import type { Edit, EditContext, PlannedEdits } from '../edit/types.ts';
import { writeRef } from '../links/address.ts';
import type { Content } from '../tree/content.ts';
import { TEMPLATES } from './templates.ts';
import type { Template, TemplatePage } from './types.ts';

type Schemas = components['schemas'];
type ContentRefs = Readonly<Record<string, Schemas['ContentRef']>>;

/**
 * Plans the addition of a template's pages and files to content. They are added after the existing pages.
 *
 * @param content content that the references in the template's parameters may point to
 * @param field path prefix of the template choice in the request, with a trailing dot; empty if it is the whole body
 * @throws ContractError 400 or 409 for an unknown template or an invalid parameter
 */
export async function applyTemplate(
  content: Content,
  { id, params }: Schemas['TemplateChoice'],
  { field = '', ...properties }: Pick<EditContext, 'now' | 'createId'> & { field?: string },
): Promise<PlannedEdits | undefined> {
  const template = TEMPLATES.find((template) => template.id === id);
  if (!template) {
    throw fieldInvalid(
      `${field}id`,
      `must be the ID of a template: ${TEMPLATES.map((template) => template.id).join(', ')}`,
    );
  }
  const refs: ContentRefs = params?.contentRefs ?? {};
  await checkRefs(template, refs, content, `${field}params.contentRefs`);
  return await planEdits(content, editsOf(template, refs), properties);
}

async function checkRefs(
  { id, parameters }: Template,
  refs: ContentRefs,
  content: Content,
  path: string,
): Promise<void> {
  for (const name of Object.keys(refs)) {
    if (!Object.hasOwn(parameters, name)) {
      throw fieldInvalid(`${path}.${name}`, `is not a parameter of the template ${id}`);
    }
  }
  for (const [name, { kinds }] of Object.entries(parameters)) {
    const ref = Object.hasOwn(refs, name) ? refs[name] : undefined;
    if (!ref || !kinds.includes(ref.kind)) {
      throw fieldInvalid(`${path}.${name}`, `must be a reference of kind ${kinds.join(' or ')}`);
    }
    if (ref.kind === 'file' && !(await content.readFile(ref.file))) {
      throw fieldInvalid(`${path}.${name}`, 'must be the ID of a file of the space');
    }
  }
}

function editsOf(template: Template, refs: ContentRefs): Edit[] {
  const read = (name: string) => readFileSync(new URL(`./${template.folder}/${name}`, import.meta.url));
  const files = template.files.map((file) => ({ ...file, bytes: read(file.name) }));
  return [
    ...template.pages.flatMap((page) => pageEdits(page, null, refs, (ref) => read(`${ref}.md`).toString())),
    ...(files.length > 0 ? [{ operation: 'insert_files' as const, files }] : []),
  ];
}

function pageEdits(
  page: TemplatePage,
  into: string | null,
  refs: ContentRefs,
  textOf: (ref: string) => string,
): Edit[] {
  if ('specification' in page) {
    const ref = refs[page.specification];
    if (ref?.kind !== 'openapi') {
      throw new Error(`The page "${page.title}" requires a specification.`);
    }
    const dependencies = { spec: { ref } };
    const computed = { type: 'builtin:openapi' as const, props: { models: true }, dependencies };
    return [{ operation: 'insert_computed', title: page.title, computed }];
  }
  const { ref, title, pages = [], ...settings } = page;
  const markdown = fillIn(textOf(ref), refs);
  return [
    { operation: 'insert_page', ref, title, into, markdown, settings },
    ...pages.flatMap((inner) => pageEdits(inner, ref, refs, textOf)),
  ];
}

/** Replaces the placeholders of a text with references, encoded such that they cannot end anything but the URL. */
function fillIn(markdown: string, refs: ContentRefs): string {
  return markdown.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => {
    const ref = refs[name];
    return ref
      ? writeRef(ref)
          .toWellFormed()
          .replace(/[\s<>"\\]/g, encodeURIComponent)
      : placeholder;
  });
}
