/** The documents that display blocks of integrations. */
import type { components } from '../../../../../generated/schema.d.ts';
import { type Html, html } from '../../../../contract/docs/html.ts';
import type { Labels } from '../labels.ts';
import { documentAttributes } from '../templates/frame.ts';
import { NONCE } from '../templates/nonce.ts';
import { styleOf } from '../templates/theme.ts';
import type { Frame } from '../templates/types.ts';

/** Returns the document of a block. All of it is one form, so that each action sends the values of its inputs. */
export function blockDocument(
  view: Frame,
  { title, href, content, session }: { title: string; href: string; content: Html; session?: string },
): string {
  const { language, direction, assets, customization } = view;
  const body =
    session === undefined
      ? content
      : html`<form method="post" target="_self" action="${href}" autocomplete="off">
<input type="hidden" name="session" value="${session}"><button type="submit" class="block-default" tabindex="-1" aria-hidden="true"></button>
${content}
</form>`;
  return html`<!doctype html>
<html lang="${language}" dir="${direction}"${documentAttributes(customization)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<base target="_top">
${assets.styles.map((style) => html`<link rel="stylesheet" nonce="${NONCE}" href="${style}">`)}
<link rel="stylesheet" nonce="${NONCE}" href="${assets.block.style}">
<style nonce="${NONCE}">${styleOf(customization)}</style>
<script nonce="${NONCE}" src="${assets.early}"></script>
<script type="module" nonce="${NONCE}" src="${assets.block.script}"></script>
</head>
<body class="block-document">
${body}
</body>
</html>
`.text;
}

/** Asks the visitor to confirm an action. The button of the form without an action cancels it. */
export const confirmation = (
  { title, text, confirm, style = 'primary' }: components['schemas']['RenderConfirmation'],
  labels: Labels,
): Html =>
  html`<section class="block-modal" aria-label="${title}"><header><h2>${title}</h2></header>
<p>${text}</p>
<footer><button class="block-button ${style}" type="submit" name="action" value="0">${confirm}</button>
<button class="block-button secondary" type="submit">${labels.cancel}</button></footer></section>`;

/** Shown instead of a block for a URL: the link that the page contains. */
export const linkNote = (url: string): Html =>
  html`<p class="block-failure"><a href="${url}" target="_blank" rel="noopener">${url}</a></p>`;

/** Shown instead of a block: the text of its script for the visitor, or that of the site. */
export const failureNote = ({ blockFailed }: Labels, message = blockFailed): Html =>
  html`<p class="block-failure" role="note">${message}</p>`;
