/** Receives the opinions of readers about pages: a form below each page, which also works without scripts. */

import { storableText } from '../../../../content/tree/hash.ts';
import { fieldInvalid, forbidden } from '../../../../contract/errors.ts';
import { RateLimit } from '../../../../contract/index.ts';
import type { StoredFeedbackRating } from '../../../../database/schema/sites/site-feedback.ts';
import { receiveForm } from '../../../kit/routes/receive-form.ts';
import type { SiteSpaceEntry } from '../../../spaces/publications/structure.ts';
import { policyOf } from '../read-page.ts';
import type { ReadingServices } from '../reading-site.ts';
import type { Assets } from '../resources/assets.ts';
import { redirect, sendPage } from '../respond.ts';
import { ResponseText } from '../response-text.ts';
import { cachingOf, type SiteRequest } from '../site-request.ts';
import { messagePage } from '../templates/message.ts';
import { visitorOf } from '../view-events.ts';
import { frameView } from '../views/frame-view.ts';
import { isReadable } from '../views/navigation.ts';
import { viewContext } from '../views/view-context.ts';
import { feedbackHref, MAX_FEEDBACK_COMMENT_CHARACTERS } from './address.ts';
import { recordFeedback } from './record.ts';

/** Maximum size of a form with an opinion. */
export const MAX_FEEDBACK_FORM_BYTES = 16_384;
/** Maximum number of opinions that a process accepts from an address per minute. */
export const MAX_FEEDBACK_PER_MINUTE = 20;

/** Creates the limit of the opinions of an address. It applies also if requests are not limited. */
export const createFeedbackLimit = (): RateLimit => new RateLimit({ perMinute: MAX_FEEDBACK_PER_MINUTE });

/**
 * Receives an opinion about a page that its visitor sees, and redirects to thanks for it, so that reloading does not send
 * it again. Returns whether the site has the page, and collects opinions.
 *
 * @throws ContractError 400, 403, 413, 415 or 429
 */
export async function serveFeedback(
  services: ReadingServices,
  assets: Assets,
  request: SiteRequest,
  siteSpace: SiteSpaceEntry,
): Promise<boolean> {
  const { req, res, reading, segments } = request;
  const context = await viewContext(reading, siteSpace);
  const page = context.navigation.find(segments[2] ?? '');
  if (!isReadable(page) || !reading.customization.feedback.enabled) {
    return false;
  }
  const caching = { ...cachingOf(reading, false), isPublic: false };
  const url = reading.absolute(reading.pageHref(siteSpace, context.navigation, page));
  if (req.method !== 'POST') {
    const frame = await frameView({ ...context, page }, assets);
    const { feedbackThanks: title } = frame.labels;
    const link = { title: page.record.title, href: url };
    const text = new ResponseText(messagePage(frame, { title, text: '', hasSearch: false, link }));
    await sendPage(req, res, { status: 200, text, policy: policyOf(reading) }, caching);
    return true;
  }
  requireOwnForm(request);
  await request.feedbackLimit.countAddress(req, res);
  const form = await receiveForm(req, res, {
    maxBytes: MAX_FEEDBACK_FORM_BYTES,
    sender: 'the page',
  });
  const opinion = readOpinion(form);
  await recordFeedback(services, {
    organization: reading.site.organization,
    site: reading.site.id,
    siteSpace: siteSpace.row.id,
    space: context.space.id,
    page: page.record.id,
    url,
    visitor: visitorOf(req),
    ...opinion,
  });
  redirect(res, 303, feedbackHref(reading, siteSpace, page.record.id), caching);
  return true;
}

/**
 * Requires that a page of the site sent the form: other sites could send opinions in the name of their visitors.
 *
 * @throws ContractError 403
 */
function requireOwnForm({ req, reading }: SiteRequest): void {
  const origin = req.get('Origin');
  const site = req.get('Sec-Fetch-Site');
  const isForeign =
    site === undefined
      ? origin !== undefined && origin !== new URL(reading.url).origin
      : site !== 'same-origin' && site !== 'none';
  if (isForeign) {
    throw forbidden('Feedback must be sent from a page of the site.');
  }
}

const RATINGS: ReadonlySet<string> = new Set<StoredFeedbackRating>(['bad', 'ok', 'good']);
const isRating = (text: string): text is StoredFeedbackRating => RATINGS.has(text);

/** @throws ContractError 400 */
function readOpinion(form: URLSearchParams): { rating: StoredFeedbackRating; comment: string | undefined } {
  const rating = form.get('rating') ?? '';
  if (!isRating(rating)) {
    throw fieldInvalid('rating', 'must be bad, ok or good');
  }
  // Forms send line breaks as two characters.
  const comment = storableText((form.get('comment') ?? '').replaceAll('\r\n', '\n')).trim();
  if (comment.length > MAX_FEEDBACK_COMMENT_CHARACTERS) {
    throw fieldInvalid('comment', `must have at most ${MAX_FEEDBACK_COMMENT_CHARACTERS} characters`);
  }
  return { rating, comment: comment === '' ? undefined : comment };
}
