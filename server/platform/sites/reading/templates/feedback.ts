import { type Html, html } from '../../../../contract/docs/html.ts';
import { MAX_FEEDBACK_COMMENT_CHARACTERS } from '../feedback/address.ts';
import type { Labels } from '../labels.ts';

/** Renders the form below a page. The comment is shown with the rating. */
export function feedbackForm(href: string | undefined, labels: Labels): Html | undefined {
  if (href === undefined) {
    return undefined;
  }
  const rating = (value: string, label: string) =>
    html`<label class="feedback-rating"><input type="radio" name="rating" value="${value}" required><span>${label}</span></label>`;
  return html`<form class="feedback" method="post" action="${href}" data-thanks="${labels.feedbackThanks}">
<fieldset><legend>${labels.feedback}</legend>${rating('good', labels.feedbackGood)}${rating('ok', labels.feedbackOk)}${rating('bad', labels.feedbackBad)}</fieldset>
<div class="feedback-details"><label>${labels.feedbackComment}<textarea name="comment" rows="3" maxlength="${MAX_FEEDBACK_COMMENT_CHARACTERS}"></textarea></label>
<button type="submit" class="button">${labels.feedbackSend}</button></div>
</form>`;
}
