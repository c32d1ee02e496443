/** Finds markup that a document contains as written, instead of as blocks and marks. */
import { readTag } from '../../../server/content/markdown/attributes.ts';
import type { Document } from '../../../server/content/markdown/markdown.ts';
import { endedBy, tagReader } from '../../../server/content/markdown/tags/tags.ts';

/** HTML elements that documents have blocks and marks for. */
const KNOWN_ELEMENTS = new Set(
  (
    'a article aside b blockquote br button center code dd del details div dl dt em figcaption figure font footer h1 ' +
    'h2 h3 h4 h5 h6 header hr i iframe img ins kbd li main mark nav ol option p picture pre s samp section select ' +
    'source span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul'
  ).split(' '),
);

/** Elements with content that is left as written. */
const UNREAD = /<(script|style|svg|video|audio|object|form|math|canvas|textarea)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;

/** Raw markup of a document: tags, comments and known elements in raw text, and tags in other text outside code. */
export function rawMarkupIn(document: Document): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) {
        visit(item);
      }
      return;
    }
    if (typeof value !== 'object' || value === null) {
      return;
    }
    if ('type' in value && value.type === 'code-line') {
      return;
    }
    if ('object' in value && value.object === 'leaf' && 'text' in value && typeof value.text === 'string') {
      const isCode = 'marks' in value && JSON.stringify(value.marks).includes('"code"');
      found.push(...('raw' in value ? rawMarkup(value.text) : isCode ? [] : knownTagsIn(value.text)));
      return;
    }
    for (const inner of Object.values(value)) {
      visit(inner);
    }
  };
  visit(document.nodes);
  return found;
}

const tagsIn = (text: string): string[] => text.match(/\{%.*?%\}/gs) ?? [];

/** Text may mention a tag; one that the contract defines is there because it was not read. */
const knownTagsIn = (text: string): string[] =>
  tagsIn(text).filter((source) => {
    const { name } = readTag(source);
    return tagReader(name) !== undefined || endedBy(name) !== undefined;
  });

function rawMarkup(source: string): string[] {
  const text = source.replace(UNREAD, '');
  const elements = [...text.matchAll(/<\/?([a-z][a-z0-9-]*)[^<>]*>/gi)]
    .filter(([, name = '']) => KNOWN_ELEMENTS.has(name.toLowerCase()))
    .map(([all]) => all);
  return [...tagsIn(text), ...elements, ...(text.match(/<!--[\s\S]*?-->/g) ?? [])];
}
