/** Places of a page where an author can write a condition. */

/** A text with a condition, and who sees the word under it. */
export interface Placement {
  name: string;
  markdown: string;
  /** Whether visitors for whom the condition holds see the word. Otherwise nobody does. */
  isShown: boolean;
}

/** The expression of the conditions. */
export const CONDITION = 'visitor.claims.beta == true';

/**
 * Returns texts with a condition around a word, which must be unique, and its letters only.
 *
 * @param around the start and end tag of the condition
 */
export function placements(word: string): Placement[] {
  const open = `{% if ${CONDITION} %}`;
  const under = (text: string) => `${open}${text}{% endif %}`;
  const shown: Record<string, string> = {
    'a block': `Before.\n\n${open}\n${word}\n{% endif %}\n\nAfter.`,
    'the middle of a paragraph': `Everyone reads this. ${under(word)} And this.`,
    'the start of a paragraph': `${under(word)} and the rest.`,
    'the lines of a paragraph': `First line.\n${open}\n${word}\n{% endif %}\nLast line.`,
    'two paragraphs': `Begins ${open}here.\n\n${word}\n\nEnds{% endif %} there.`,
    'a cell': `| a | b |\n|---|---|\n| ${under(word)} | c |\n| d | e |`,
    'a header of a table': `| ${under(word)} | b |\n|---|---|\n| c | d |`,
    'rows of a table': `| a | b |\n|---|---|\n${open}\n| ${word} | c |\n{% endif %}\n| d | e |`,
    'a cell in HTML': `<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>${under(word)}</td></tr></tbody></table>`,
    'a header in HTML': `<table><thead><tr><th>${under(word)}</th></tr></thead><tbody><tr><td>a</td></tr></tbody></table>`,
    'a row in HTML': `<table><tbody><tr><td>a</td></tr>${under(`<tr><td>${word}</td></tr>`)}</tbody></table>`,
    'a cell with blocks': `<table><tbody><tr><td>\n\n${open}\n${word}\n{% endif %}\n\n</td></tr></tbody></table>`,
    'a heading': `## Heading ${under(word)}\n\nText.`,
    'a whole heading': `## ${under(word)}\n\nText.`,
    'an underlined heading': `Heading ${under(word)}\n---\n\nText.`,
    'a heading in HTML': `<h2>Heading ${under(word)}</h2>\n\nText.`,
    'the text of a link': `[${under(word)}](https://example.com)`,
    'the title of a link': `[link](https://example.com "Title ${under(word)}")`,
    'the destination of a link': `[link](https://example.com/${under(word)})`,
    'a link in HTML': `<a href="https://example.com/${under(word)}">${under(word)}</a>`,
    'strong emphasis': `Text **${under(word)}** text.`,
    'emphasis with more text': `Text *and ${under(word)}* text.`,
    'a caption': `<figure><img src="https://example.com/a.png" alt=""><figcaption>${under(word)}</figcaption></figure>`,
    'a caption with blocks': `<figure><img src="https://example.com/a.png" alt=""><figcaption>\n\n${under(word)}\n\n</figcaption></figure>`,
    'the alternative text of an image': `![${under(word)}](https://example.com/a.png)`,
    'a summary': `<details><summary>Summary ${under(word)}</summary>\n\nText.\n\n</details>`,
    'an expandable': `<details><summary>Summary</summary>\n\n${under(word)}\n\n</details>`,
    'a card': `<table data-view="cards"><thead><tr><th></th></tr></thead><tbody><tr><td>${under(word)}</td></tr></tbody></table>`,
    'a hint': `{% hint style="info" %}\nText. ${under(word)}\n{% endhint %}`,
    'a tab': `{% tabs %}\n{% tab title="First" %}\n${under(word)}\n{% endtab %}\n{% endtabs %}`,
    'the title of a tab': `{% tabs %}\n{% tab title="First ${under(word)}" %}\nText.\n{% endtab %}\n{% endtabs %}`,
    'an item of a list': `- a\n- ${under(word)}\n- b`,
    'items of a list': `- a\n${open}\n- ${word}\n{% endif %}\n- b`,
    'the end of an item and the next one': `- a ${open}end\n- ${word}{% endif %}\n- b`,
    'a nested list': `- a\n\n  ${open}\n  - ${word}\n  {% endif %}\n- b`,
    'a task': `- [ ] a\n- [x] ${under(word)}`,
    'a quotation': `> a\n> ${open}\n> ${word}\n> {% endif %}\n> b`,
    'a note': `Text[^1].\n\n[^1]: Note ${under(word)}`,
    'a formula': `$$a ${under(`\\text{${word}}`)}$$`,
    'code under it': `${open}\n\`\`\`js\n${word}\n\`\`\`\n{% endif %}\n\nText.`,
    'spaces removed by its tags': `Text {%- if ${CONDITION} -%} ${word} {%- endif -%} text.`,
    'capital letters': `Text {% IF ${CONDITION} %}${word}{% EndIf %} text.`,
    'a tag over two lines': `Text {% if\n${CONDITION} %}${word}{% endif %} text.`,
    'no spaces': `Text {%if ${CONDITION}%}${word}{%endif%} text.`,
    parentheses: `Text {% if(${CONDITION}) %}${word}{% endif %} text.`,
    'an invisible character': `Text {%\u200bif ${CONDITION} %}${word}{% endif %} text.`,
    'a branch': `Text {% if ${CONDITION} %}${word}{% else %}other{% endif %} text.`,
    'a second branch': `Text {% if visitor.claims.none %}none{% elif ${CONDITION} %}${word}{% else %}other{% endif %}`,
    'the branch otherwise': `Text {% if !(${CONDITION}) %}other{% else %}${word}{% endif %} text.`,
    'another condition': `Text {% if visitor.claims.none != true %}and ${under(word)}{% endif %} text.`,
    'comments around its tags': `<!-- ${open} -->\n\n${word}\n\n<!-- {% endif %} -->`,
    'a backtick that starts no code': `Text \` ${under(word)} text.`,
    'a backtick in another item': `- a \`b\n- ${under(word)}\`\n`,
    'an escaped element': `Text \\<pre> ${under(word)} </pre> text.`,
    'an escape that HTML does not have': `<table><tbody><tr><td>\\${open}${word}\\{% endif %}</td></tr></tbody></table>`,
    'indentation that is no code': `- a\n\n      b\n\n    ${under(word)}`,
  };
  const hidden: Record<string, string> = {
    'a block without an end': `Before.\n\n${open}\n\n${word}\n\nAfter.`,
    'a line without an end': `Before. ${open} ${word}`,
    'a list without an end': `- a\n- ${open} b\n- ${word}`,
    'an invalid expression': `Text {% if visitor.claims. %}${word}{% endif %} text.`,
    'no expression': `Text {% if %}${word}{% endif %} text.`,
    'an invalid expression in a block': `Before.\n\n{% if visitor.claims. %}\n${word}\n{% endif %}\n\nAfter.`,
    'the branch otherwise of an invalid expression': `Text {% if visitor. %}a{% else %}${word}{% endif %} text.`,
    'a tag without an end': `Text {% if ${CONDITION} }${word}{% endif %} text.`,
    'a tag of two percent signs': `Text {%% if ${CONDITION} %%}${word}{% endif %} text.`,
    'a condition of another language': `Text {% unless visitor.claims.none %}${word}{% endunless %} text.`,
    'another name': `Text {% when ${CONDITION} %}${word}{% endif %} text.`,
    'a misspelled name': `Text {% fi ${CONDITION} %}${word}{% endif %} text.`,
    'a misspelled name, and a branch': `Text {% fi ${CONDITION} %}${word}{% else %}${word}{% endif %} text.`,
    'an end in code': `Text ${open} ${word}\n\n\`\`\`\n{% endif %}\n\`\`\`\n\n${word}`,
    'overlapping conditions': `Text {% unless visitor.claims.none %}a ${open}b{% endunless %} ${word}{% endif %} text.`,
  };
  const listed = (texts: Record<string, string>, isShown: boolean) =>
    Object.entries(texts).map(([name, markdown]) => ({ name, markdown, isShown }));
  return [...listed(shown, true), ...listed(hidden, false)];
}

/** Texts with tags of conditions as plain text: their word is shown to everyone. */
export function literalPlacements(word: string): { name: string; markdown: string }[] {
  const literal = `{% if a %}${word}{% endif %}`;
  return Object.entries({
    'a code span': `Write \`${literal}\` here.`,
    'code spans': `Write \`{% if a %}\`, ${word} and \`{% endif %}\`.`,
    'fenced code': `\`\`\`liquid\n${literal}\n\`\`\`\n`,
    'fenced code in a list': `1. a\n\n   \`\`\`\n   ${literal}\n   \`\`\`\n`,
    'indented code': `Text.\n\n    ${literal}\n`,
    'code in HTML': `<pre class="language-html"><code class="lang-html">{% if a %}\n  ${word}\n{% endif %}</code></pre>`,
    'code in a cell': `<table><tbody><tr><td><code>{% if a %}</code> ${word}</td></tr></tbody></table>`,
    escapes: `Write \\{% if a %} ${word} \\{% endif %}.`,
    'a comment': `<!-- {% if a %}b{% endif %} --> ${word}`,
    'a plugin': `{% iframe url="https://example.com" %}\n\n${word}`,
    'a percent sign': `Write 5 %} ${word}.`,
  }).map(([name, markdown]) => ({ name, markdown }));
}
