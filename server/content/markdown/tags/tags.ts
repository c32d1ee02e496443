/** Converts a tag, with the blocks between it and its end, to a block. */
import { includedAddress, type Tag } from '../attributes.ts';
import type { Code, NestedBlock } from '../document.ts';
import { addressLabel, defined, inlineText, parent, reference, voidBlock } from '../document.ts';
import { EARLIER_READERS } from './earlier.ts';
import {
  address,
  captioned,
  container,
  flag,
  group,
  list,
  rest,
  single,
  soleLink,
  type TagReader,
} from './readers.ts';

const STYLES = ['info', 'success', 'warning', 'danger'] as const;

const swagger = single((tag) => {
  const { attributes } = tag;
  const path = attributes.get('path');
  const method = attributes.get('method');
  const ref = address(tag, 'src');
  return voidBlock('swagger', defined({ ref, path, method, attributes: rest(tag, 'src', 'path', 'method') }));
});

const openapi = (tag: Tag, url: string | undefined) => ({
  spec: tag.attributes.get('spec'),
  ref: url ? reference(url) : undefined,
});

/** Readers by tag name; `@` is the reader of all integrations. */
const READERS: Record<string, TagReader> = {
  ...EARLIER_READERS,
  hint: container((tag, nodes) => {
    const style = STYLES.find((candidate) => candidate === tag.attributes.get('style')) ?? 'info';
    const icon = tag.attributes.get('icon');
    return parent('hint', defined({ style, icon, attributes: rest(tag, 'style', 'icon') }), nodes);
  }),
  tabs: group<Extract<NestedBlock, { type: 'tabs-item' }>>('tabs-item', (tag, nodes) =>
    parent('tabs', defined({ fullWidth: flag(tag, 'fullWidth'), attributes: rest(tag, 'fullWidth') }), nodes),
  ),
  tab: container((tag, nodes) => {
    const title = tag.attributes.get('title') ?? '';
    const icon = tag.attributes.get('icon');
    return parent('tabs-item', defined({ title, icon, attributes: rest(tag, 'title', 'icon') }), nodes);
  }, 'tabs'),
  code: {
    end: 'required',
    read(tag, content) {
      const [first, ...following] = content;
      return first?.type === 'code' ? [titledCode(tag, first), ...following] : undefined;
    },
  },
  embed: captioned((tag, caption) => {
    const url = tag.attributes.get('url');
    if (!url) {
      return undefined;
    }
    const fullWidth = flag(tag, 'fullWidth');
    return voidBlock(
      'embed',
      defined({ url, caption, fullWidth, attributes: rest(tag, 'url', 'fullWidth') }),
    );
  }),
  file: captioned((tag, caption) => {
    const ref = address(tag, 'src');
    return ref && voidBlock('file', defined({ ref, caption, attributes: rest(tag, 'src') }));
  }),
  'content-ref': {
    end: 'optional',
    read(tag, content) {
      const ref = address(tag, 'url');
      if (!ref) {
        return undefined;
      }
      const [first, ...following] = content;
      const link = first && soleLink(first);
      const url = tag.attributes.get('url') ?? '';
      const linkText = link && inlineText(link.nodes);
      const title = linkText === addressLabel(url) || linkText === url ? undefined : link?.nodes;
      const ownTitle = title?.length ? title : undefined;
      const block = voidBlock('content-ref', defined({ ref, title: ownTitle, attributes: rest(tag, 'url') }));
      return [block, ...(link ? following : content)];
    },
  },
  include: single((tag) => {
    const url = includedAddress(tag);
    const ref = url === undefined ? undefined : reference(url);
    return ref && voidBlock('reusable-content', { ref });
  }, false),
  swagger,
  openapi: swagger,
  'openapi-operation': single((tag, url) => {
    const path = tag.attributes.get('path');
    const method = tag.attributes.get('method');
    const attributes = rest(tag, 'spec', 'path', 'method');
    return voidBlock('openapi-operation', defined({ ...openapi(tag, url), path, method, attributes }));
  }),
  'openapi-schemas': single((tag, url) => {
    const schemas = list(tag.attributes.get('schemas'));
    const grouped = flag(tag, 'grouped');
    const attributes = rest(tag, 'spec', 'schemas', 'grouped');
    return voidBlock('openapi-schemas', defined({ ...openapi(tag, url), schemas, grouped, attributes }));
  }),
  'openapi-webhook': single((tag, url) => {
    const name = tag.attributes.get('name');
    const method = tag.attributes.get('method');
    const attributes = rest(tag, 'spec', 'name', 'method');
    return voidBlock('openapi-webhook', defined({ ...openapi(tag, url), name, method, attributes }));
  }),
  stepper: group<Extract<NestedBlock, { type: 'stepper-step' }>>('stepper-step', (tag, nodes) =>
    parent('stepper', defined({ attributes: rest(tag) }), nodes),
  ),
  step: container(
    (tag, nodes) => parent('stepper-step', defined({ attributes: rest(tag) }), nodes),
    'stepper',
  ),
  columns: group<Extract<NestedBlock, { type: 'column' }>>('column', (tag, nodes) =>
    parent('columns', defined({ attributes: rest(tag) }), nodes),
  ),
  column: container((tag, nodes) => {
    const width = tag.attributes.get('width');
    return parent('column', defined({ width, attributes: rest(tag, 'width') }), nodes);
  }, 'columns'),
  updates: group<Extract<NestedBlock, { type: 'update' }>>('update', (tag, nodes) =>
    parent(
      'updates',
      defined({ format: tag.attributes.get('format'), attributes: rest(tag, 'format') }),
      nodes,
    ),
  ),
  update: container((tag, nodes) => {
    const date = tag.attributes.get('date');
    const tags = list(tag.attributes.get('tags'));
    return parent('update', defined({ date, tags, attributes: rest(tag, 'date', 'tags') }), nodes);
  }, 'updates'),
  prompt: container((tag, nodes) => {
    const description = tag.attributes.get('description');
    const icon = tag.attributes.get('icon');
    return parent(
      'prompt',
      defined({ description, icon, attributes: rest(tag, 'description', 'icon') }),
      nodes,
    );
  }),
  if: container((tag, nodes) => (tag.rest ? parent('if', { expression: tag.rest }, nodes) : undefined)),
  '@': single((tag) => {
    const [, integration, block] = /^@([^/]+)\/(.+)$/.exec(tag.name) ?? [];
    if (integration === undefined || block === undefined) {
      return undefined;
    }
    return voidBlock('integration', { integration, block, props: Object.fromEntries(tag.attributes) });
  }, false),
};

/** Returns the reader of a tag; undefined for an unknown tag. */
export function tagReader(name: string): TagReader | undefined {
  const key = name.startsWith('@') ? '@' : name;
  return Object.hasOwn(READERS, key) ? READERS[key] : undefined;
}

/** Returns the name of the tag that an end tag closes; undefined for any other tag. */
export function endedBy(name: string): string | undefined {
  if (!name.startsWith('end')) {
    return undefined;
  }
  const ended = name.slice(3);
  const reader = tagReader(ended);
  return reader && reader.end !== 'never' ? ended : undefined;
}

function titledCode(tag: Tag, code: Code): Code {
  const overflow = tag.attributes.get('overflow');
  const unlisted = rest(tag, 'title', 'overflow', 'lineNumbers', 'fullWidth');
  const attributes = { ...unlisted, ...code.data.attributes };
  return {
    ...code,
    data: defined({
      syntax: code.data.syntax,
      title: tag.attributes.get('title') ?? code.data.title,
      overflow: overflow === 'wrap' || overflow === 'scroll' ? overflow : code.data.overflow,
      lineNumbers: flag(tag, 'lineNumbers') ?? code.data.lineNumbers,
      fullWidth: flag(tag, 'fullWidth') ?? code.data.fullWidth,
      attributes: Object.keys(attributes).length > 0 ? attributes : undefined,
    }),
  };
}
