/** What readers see of mentions. In Markdown that is read outside of the platform, they are links. */
import type { Block, Inline } from '../markdown/document.ts';
import { plainText, textOfMention } from '../markdown/document.ts';
import type { MentionText } from '../markdown/slug.ts';
import type { RenderTarget } from './options.ts';

type Mention = Extract<Inline, { type: 'mention' }>;

/** Returns what readers see of a mention: the title of a section, page, file or user, or else its text in Markdown. */
export function titleOfMention(
  mention: Mention['data'],
  target: Pick<RenderTarget, 'kind' | 'title' | 'section'> | undefined,
): string {
  const title = target === undefined || target.kind === 'url' ? '' : (target.section ?? target.title);
  return title === '' ? textOfMention(mention) : title;
}

/** Returns blocks with links instead of mentions. */
export const withoutMentions = (blocks: readonly Block[], mentionText: MentionText): Block[] =>
  blocks.map((block) => replaced(block, mentionText));

function replaced<Value>(value: Value, mentionText: MentionText): Value {
  // A mention can be wherever a link can, so that the result has the same type, as have copies of arrays and objects.
  if (Array.isArray(value)) {
    return value.map((item: unknown) => replaced(item, mentionText)) as Value;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (isMention(value)) {
    return linkOf(value, mentionText) as Value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, replaced(inner, mentionText)]),
  ) as Value;
}

const isMention = (value: object): value is Mention =>
  'object' in value && value.object === 'inline' && 'type' in value && value.type === 'mention';

function linkOf({ data }: Mention, mentionText: MentionText): Inline {
  const nodes = [plainText(mentionText(data))];
  return { object: 'inline', type: 'link', isVoid: false, data: { ref: data.ref }, nodes };
}
