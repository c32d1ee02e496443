import type { Comparison } from '../comparison.ts';
import { formatHtml } from './html.ts';
import { formatJson } from './json.ts';
import { formatChangelog, formatMarkdown } from './markdown.ts';
import { formatText } from './text.ts';

/** Output format. */
export type Format = 'text' | 'markdown' | 'json' | 'changelog' | 'html';

/** Formatters of a comparison. Their texts end without a line feed. */
export const formats: Readonly<Record<Format, (comparison: Comparison) => string>> = {
  text: formatText,
  markdown: formatMarkdown,
  json: formatJson,
  changelog: formatChangelog,
  html: formatHtml,
};
