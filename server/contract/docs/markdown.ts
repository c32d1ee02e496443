import MarkdownIt from 'markdown-it';
import { escapeHtml, Html, html } from './html.ts';

/** Characters that Markdown may interpret. Most descriptions of fields have none of them, and need no parser. */
const MARKUP = /[\\`*_~[\]<>#&|\n]|:\/\/|@|www\.|^\s|^\d+[.)]|^[-+=]/;

/** CommonMark with tables and links of GitHub. It shows raw HTML as text, and refuses URLs that run scripts. */
const engine = new MarkdownIt({ html: false, linkify: true });

// Below the headings of the page.
engine.core.ruler.push('headings', ({ tokens }) => {
  for (const token of tokens.filter(({ type }) => type === 'heading_open' || type === 'heading_close')) {
    token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 2)}`;
  }
});
// Images would be requested from other servers.
engine.renderer.rules.image = (tokens, index) => escapeHtml(tokens[index]?.content ?? '');
// Code that is wider than the page can be scrolled with the keyboard.
const renderCode = (content = '') => `<pre tabindex="0"><code>${escapeHtml(content)}</code></pre>\n`;
engine.renderer.rules.fence = (tokens, index) => renderCode(tokens[index]?.content);
engine.renderer.rules.code_block = (tokens, index) => renderCode(tokens[index]?.content);

/** Converts a description in Markdown. */
export function markdown(text: string): Html {
  if (text === '') {
    return new Html('');
  }
  if (!MARKUP.test(text)) {
    return html`<p>${text}</p>`;
  }
  const markup = engine
    .render(text)
    // Alerts of GitHub.
    .replace(
      /<p>\[!([A-Z])([A-Z]+)\]/g,
      (_, first, rest) => `<p><strong>${first}${rest.toLowerCase()}:</strong>`,
    );
  return new Html(markup);
}

/** First sentence of a description without its markup, for places with little room. */
export function firstSentence(text: string): string {
  const [paragraph = ''] = text.trim().split(/\n\s*\n/);
  const plain = paragraph
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ');
  return /^.*?[.!?](?=\s|$)/.exec(plain)?.[0] ?? plain;
}
