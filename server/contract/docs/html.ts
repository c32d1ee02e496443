/** Markup of a page. Text that is inserted with {@link html} is escaped; markup is not. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Value in a template. Undefined, false and empty text are omitted. */
export type HtmlValue = Html | string | number | false | undefined | readonly HtmlValue[];

/** Creates markup from a template literal and escapes its values. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(render)));
}

/** Escapes text for markup and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function render(value: HtmlValue): string {
  if (value instanceof Html) {
    return value.text;
  }
  if (typeof value === 'object') {
    return value.map(render).join('');
  }
  return value === undefined || value === false ? '' : escapeHtml(String(value));
}
